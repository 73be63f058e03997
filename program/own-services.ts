/** The services that are there without any plugin, besides `Plugins`, which the kernel provides. */
import type { ConfigStore } from '../home/config.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { kernelOwner } from '../kernel/owner.ts'
import { CommandProviders, Commands, SlashCommands } from '../sdk/commands.ts'
import { Config } from '../sdk/config.ts'
import { Consents } from '../sdk/consents.ts'
import type { ExtensionPoint, Service } from '../sdk/declarations.ts'
import { Home } from '../sdk/home.ts'
import { AgentProcesses } from '../sdk/leash.ts'
import { Clock, Net, Random } from '../sdk/ports.ts'
import { Runtimes } from '../sdk/runtime.ts'
import { Seals } from '../sdk/seals.ts'
import { Secrets } from '../sdk/secrets.ts'
import { CommandTable } from './commands.ts'
import { findMarked } from './leash.ts'
import type { Ports } from './ports.ts'

interface ServiceDeps {
  readonly ports: Ports
  readonly config: ConfigStore
  readonly consents: Consents
  /** Opens runtimes inside this one, where that is possible. */
  readonly open: Runtimes['open'] | undefined
}

/** Offers them in the name of the kernel. */
export function provideServices(kernel: Kernel, { ports, config, consents, open }: ServiceDeps): void {
  const { home, services, points } = kernel
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
  give(Consents, consents)
  const view = <T>(point: ExtensionPoint<T>) => points.view(point, kernelOwner)
  give(Commands, new CommandTable(view(SlashCommands), view(CommandProviders)))
}
