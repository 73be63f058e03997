/** The services that the kernel itself provides. */

import type { Kernel } from '../kernel/kernel.ts'
import { kernelOwner } from '../kernel/owner.ts'
import { CommandProviders, Commands, SlashCommands } from '../sdk/commands.ts'
import { Config } from '../sdk/config.ts'
import { Consents } from '../sdk/consents.ts'
import { Home } from '../sdk/home.ts'
import { AgentProcesses } from '../sdk/leash.ts'
import { Plugins } from '../sdk/plugins.ts'
import { Clock, Net, Random } from '../sdk/ports.ts'
import { Runtimes } from '../sdk/runtime.ts'
import { Seals } from '../sdk/seals.ts'
import { Secrets } from '../sdk/secrets.ts'
import type { ExtensionPoint, Service } from '../sdk/token.ts'
import { CommandTable } from './commands.ts'
import { findMarked } from './leash.ts'

/** Offers them. `open` opens runtimes inside this one, where that is possible. */
export function provideOwn(kernel: Kernel, open: Runtimes['open'] | undefined): void {
  const { ports, home, config, consents, services, points } = kernel
  const give = <T extends object>(token: Service<T>, value: T) => services.provide(token, kernelOwner, () => value)
  give(Clock, ports.clock)
  give(Random, ports.random)
  give(Net, ports.net)
  if (open) give(Runtimes, { open })
  give(Home, home)
  give(Config, config)
  give(Secrets, config.secrets)
  give(Seals, {
    seal: (purpose, text) => config.seal.mark(`${purpose}\n${text}`),
    holds: (purpose, text, mark) => config.seal.holds(`${purpose}\n${text}`, mark),
  })
  give(AgentProcesses, { findMarked: (pid) => findMarked(pid) })
  give(Plugins, createPluginsService(kernel))
  give(Consents, consents)
  const view = <T>(point: ExtensionPoint<T>) => points.view(point, kernelOwner)
  give(Commands, new CommandTable(view(SlashCommands), view(CommandProviders)))
}

/** What is `Plugins` of it, and nothing else. */
function createPluginsService({ plugins }: Kernel): Plugins {
  return Object.freeze({
    list: () => plugins.list(),
    info: (name) => plugins.info(name),
    problems: () => plugins.problems(),
    guards: () => plugins.guards(),
    report: (problem) => plugins.report(problem),
    bring: (token) => plugins.bring(token),
    enable: (name) => plugins.enable(name),
    disable: (name) => plugins.disable(name),
    reload: (name) => plugins.reload(name),
    pin: () => plugins.pin(),
    module: (name) => plugins.module(name),
    sdkNames: () => plugins.sdkNames(),
  } satisfies Plugins)
}
