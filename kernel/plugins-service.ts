/** The service `Plugins`: what runs and why not, and changing it while the program runs. The kernel does the changing. */
import { SvcError } from '../sdk/errors.ts'
import type { PluginInfo, Plugins } from '../sdk/plugins.ts'
import type { Kernel } from './kernel.ts'
import type { KernelOptions } from './kernel-options.ts'
import { kernelOwner } from './owner.ts'
import type { PluginRecord } from './plugin-record.ts'

/** What is `Plugins` of a kernel, and nothing else. */
export function createPlugins(kernel: Kernel, sdkNames: KernelOptions['readSdkNames']): Plugins {
  const { catalogue, generations, guards, problems, services } = kernel
  return Object.freeze({
    list: () => catalogue.found.map((found) => createInfo(kernel, found)),
    info(name) {
      const found = catalogue.find(name)
      return found && createInfo(kernel, found)
    },
    problems: () => problems.list(),
    guards: () => guards.list(),
    report: (problem) => kernel.report(problem),
    async bring(token) {
      const provider = catalogue.findProvider(token.id)
      if (provider) await kernel.bring(provider.manifest.name)
      return services.find(token, kernelOwner)
    },
    async enable(name) {
      await catalogue.discover()
      catalogue.known(name)
      await kernel.applyConfig()
      await kernel.load([name])
      const host = generations.live(name)
      if (host && !host.failed) return
      const reason = host?.reason ?? catalogue.omissionOfName(name)?.reason ?? 'it is not needed by anything'
      throw new SvcError('PLUGIN_LEFT_OUT', `${name} is not running: ${reason}.`)
    },
    disable: (name) => kernel.disable(name),
    reload: (name) => kernel.reload(name),
    applyConfig: () => kernel.applyConfig(),
    pin: () => generations.pin(),
    async module(name) {
      if (!catalogue.found.length) await catalogue.discover()
      return kernel.loadModule(catalogue.known(name))
    },
    sdkNames,
  } satisfies Plugins)
}

function createInfo(kernel: Kernel, found: PluginRecord): PluginInfo {
  const { manifest, origin, dir } = found
  const host = kernel.generations.live(manifest.name)
  const own = host && (host.found === found || (dir !== '' && host.found.dir === dir)) ? host : undefined
  const omission = own ? undefined : kernel.catalogue.findOmission(found)
  const reason = own?.reason ?? omission?.reason
  return {
    manifest,
    origin,
    dir,
    ...(found.project && { dataDir: kernel.getDataDir(found) }),
    status: own?.status ?? (reason ? 'left-out' : 'available'),
    generation: own?.owner.generation ?? 0,
    holds: own?.holdings() ?? {},
    ...(reason ? { reason } : {}),
    ...(omission && { leftOut: omission.leftOut }),
  }
}
