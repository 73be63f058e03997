/** The service `Plugins`: what runs and why not, and changing it while the program runs. The kernel does the changing. */

import type { PluginRecord } from '../loader/manifest.ts'
import { SvcError } from '../sdk/errors.ts'
import type { Dispose, Plugin } from '../sdk/plugin.ts'
import type { GuardState, PluginInfo, PluginProblem, Plugins, SdkNames } from '../sdk/plugins.ts'
import type { Service } from '../sdk/token.ts'
import type { Kernel } from './kernel.ts'
import { kernelOwner } from './owner.ts'

export class PluginsService implements Plugins {
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  list(): readonly PluginInfo[] {
    return this.#kernel.catalogue.found.map((found) => this.#createInfo(found))
  }

  info(name: string): PluginInfo | undefined {
    const found = this.#kernel.catalogue.find(name)
    return found && this.#createInfo(found)
  }

  problems(): readonly PluginProblem[] {
    return this.#kernel.problems.list()
  }

  guards(): readonly GuardState[] {
    return this.#kernel.guards.list()
  }

  report(problem: Omit<PluginProblem, 'at'>): void {
    this.#kernel.report(problem)
  }

  async bring<T>(token: Service<T>): Promise<T | undefined> {
    const provider = this.#kernel.catalogue.findProvider(token.id)
    if (provider) await this.#kernel.load([provider.manifest.name])
    return this.#kernel.services.find(token, kernelOwner)
  }

  async enable(name: string): Promise<void> {
    const { catalogue, generations } = this.#kernel
    await catalogue.discover()
    catalogue.known(name)
    await this.#kernel.applyConfig()
    await this.#kernel.load([name])
    const host = generations.live(name)
    if (host && !host.failed) return
    const reason = host?.reason ?? catalogue.omissionOfName(name)?.reason ?? 'it is not needed by anything'
    throw new SvcError('PLUGIN_LEFT_OUT', `${name} is not running: ${reason}.`)
  }

  async disable(name: string): Promise<readonly string[]> {
    return this.#kernel.disable(name)
  }

  async reload(name: string): Promise<void> {
    await this.#kernel.reload(name)
  }

  pin(): Dispose {
    return this.#kernel.generations.pin()
  }

  async module(name: string): Promise<Plugin> {
    const { catalogue } = this.#kernel
    if (!catalogue.found.length) await catalogue.discover()
    return this.#kernel.loadModule(catalogue.known(name))
  }

  async sdkNames(): Promise<SdkNames> {
    return (await import('../loader/sdk-facade.ts')).readSdkNames()
  }

  #createInfo(found: PluginRecord): PluginInfo {
    const { manifest, origin, dir } = found
    const host = this.#kernel.generations.live(manifest.name)
    const own = host && (host.found === found || (dir !== '' && host.found.dir === dir)) ? host : undefined
    const omission = own ? undefined : this.#kernel.catalogue.findOmission(found)
    const reason = own?.reason ?? omission?.reason
    return {
      manifest,
      origin,
      dir,
      ...(found.project && { dataDir: this.#kernel.getDataDir(found) }),
      status: own?.status ?? (reason ? 'left-out' : 'available'),
      generation: own?.owner.generation ?? 0,
      holds: own?.holdings() ?? {},
      ...(reason ? { reason } : {}),
      ...(omission && { leftOut: omission.leftOut }),
    }
  }
}
