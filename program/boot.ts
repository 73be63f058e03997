/** Puts a kernel together: home, config, log, plugins. */
import { ConfigStore } from '../home/config.ts'
import { refuseConfigEdit } from '../home/config-gate.ts'
import { locateHome, prepareHome } from '../home/home-folder.ts'
import type { MachineFile } from '../home/machine-config.ts'
import { SettingsReader } from '../home/plugin-settings.ts'
import { acceptOwnChanges, findChanges, type WatchedHome } from '../home/report-outside-changes.ts'
import { States } from '../home/state.ts'
import type { StageLimits } from '../kernel/host.ts'
import { Kernel } from '../kernel/kernel.ts'
import type { Owner } from '../kernel/owner.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import type { BundleStore } from '../loader/bundle-plugin.ts'
import { ConsentService } from '../loader/consent-service.ts'
import { projectPluginsEnabled } from '../loader/discover.ts'
import { importPlugin } from '../loader/import.ts'
import { createDiscovery, declaredSecrets } from '../loader/plugin-catalogue.ts'
import type { PackDeps, PluginPack } from '../loader/user-plugin-pack.ts'
import { SvcError } from '../sdk/errors.ts'
import type { Home } from '../sdk/home.ts'
import type { Logger, ProcessRole } from '../sdk/plugin.ts'
import type { PluginProblem } from '../sdk/plugins.ts'
import type { Runtimes } from '../sdk/runtime.ts'
import { ConfigFollower } from './config-follower.ts'
import { Handles } from './handles.ts'
import { Jobs } from './jobs.ts'
import { type Level, Log, type LogOptions } from './log.ts'
import { provideServices } from './own-services.ts'
import { openPorts, type Ports } from './ports.ts'
import { findUnmet } from './required.ts'
import { addStackReader } from './stacks.ts'
import { withBriefSettings } from './v8-settings.ts'

export interface BootOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder whose project plugins may be loaded. */
  readonly cwd: string
  readonly profile?: string
  /** Instead of SVC_HOME. */
  readonly home?: string
  readonly ports?: Partial<Ports>
  /** What was discovered a moment ago, by the same rules. */
  readonly found?: readonly PluginRecord[]
  /** Absolute paths of plugin folders that the user named for this run. */
  readonly folders?: readonly string[]
  /** Plugins that the embedding program brings along. */
  readonly embedded?: readonly PluginRecord[]
  /** The file of the machine layer, for tests. Not configurable by a variable, because a user could set it. */
  readonly machine?: MachineFile
  /** Stands in for config.yaml. */
  readonly config?: Record<string, unknown>
  readonly limits?: Partial<StageLimits>
  readonly audit?: boolean
  /** Default `embedded`. */
  readonly role?: ProcessRole
  /** Opens runtimes inside this one. */
  readonly open?: Runtimes['open']
  readonly onReloaded?: (plugin: string, generation: number) => void
  readonly onSlow?: (plugin: string, stage: string) => void
  /** Called before code of a user's plugin is loaded. */
  readonly beforeForeign?: (isFollowed: boolean) => void
  /** Told of a timer that a plugin of a user set and that is not followed. */
  readonly onTimer?: (owner: Owner, timer: NodeJS.Timeout) => void
  /** Told of every error that is logged. */
  readonly onError?: (plugin: string, message: string) => void
  /** Continue although config.yaml is broken and no valid copy is left. */
  readonly repair?: boolean
}

/** A kernel and what it stands on. */
export interface Booted {
  readonly kernel: Kernel
  readonly config: ConfigStore
  readonly settings: SettingsReader
  readonly consents: ConsentService
  /** Things the user should know, one sentence each. */
  readonly warnings: readonly string[]
  /** Follows edits of config and of foreign plugins from now on. */
  follow(): Promise<void>
  /** What something else than svc changed in the files that decide what svc does; `seen`: a person reads it now. */
  findOutsideChanges(seen: boolean): Promise<readonly string[]>
  stop(): Promise<void>
}

/** Nothing is loaded yet. Throws `HOME_UNUSABLE`, `PROFILE_UNKNOWN` or `CONFIG_UNREADABLE`. */
export async function boot(options: BootOptions): Promise<Booted> {
  const { env } = options
  const home = locateHome(options.home ? { ...env, SVC_HOME: options.home } : env, options.profile)
  prepareHome(home, options.home ? undefined : env)
  const ports = openPorts(env, options.ports)
  const config = new ConfigStore(home.dir, env, options.config, options.machine)
  await config.load()
  if (!config.usable && !options.repair) throw unreadable(config)
  const project = projectPluginsEnabled(env['SVC_ENABLE_PROJECT_PLUGINS'])
  const discover = createDiscoverer(home, project.on ? options.cwd : undefined, options, config)
  const consents = new ConsentService(home, ports.clock, discover)
  const settings = new SettingsReader(config)
  const handles = (options.audit ?? env['SVC_AUDIT'] === '1') ? new Handles() : undefined
  handles?.start()
  const log = openLog(home, options, { clock: ports.clock, secrets: config.secrets })
  const pack = createPackOpener({ home, config, report: (problem) => kernel.report(problem), onTimer: options.onTimer })
  const kernel: Kernel = createKernel({
    pack,
    options,
    home,
    ports,
    config,
    consents,
    settings,
    handles,
    discover,
    log,
  })
  provideServices(kernel, { ports, config, consents, open: options.open })
  const watched = () => createWatched(kernel, config, log)
  config.onWritten = () => acceptOwnChanges(watched())
  const follower = new ConfigFollower(kernel, config, options.onReloaded)
  return {
    ...{ kernel, config, settings, consents },
    warnings: project.warning ? [project.warning] : [],
    follow: () => follower.start(),
    findOutsideChanges: (seen) => findChanges(watched(), seen),
    async stop() {
      await follower.stop()
      await kernel.stop()
      handles?.stop()
      ports.close()
      pack.keep()
    },
  }
}

interface PackOpener {
  readonly open: () => Promise<PluginPack>
  /** At the end: writes what is new of it, if it was opened. */
  readonly keep: () => void
}

interface PackOpenerDeps {
  readonly home: Home
  readonly config: ConfigStore
  readonly report: (problem: Omit<PluginProblem, 'at'>) => void
  readonly onTimer: BootOptions['onTimer']
}

/** Its code is loaded for the first plugin of a user. */
function createPackOpener({ home, config, report, onTimer }: PackOpenerDeps): PackOpener {
  let pack: PluginPack | undefined
  const onTampered = (file: string) => {
    const message = `${file} was changed outside svc; it is made again`
    report({ plugin: 'kernel', stage: 'import', message, code: 'PLUGIN_BUNDLE_CHANGED' })
  }
  const deps: PackDeps = {
    cache: home.path('cache', 'plugins'),
    seal: config.seal,
    onTampered,
    addStackReader,
    withBriefSettings,
    ...(onTimer && { onTimer }),
  }
  return {
    open: async () => {
      const { PluginPack } = await import('../loader/user-plugin-pack.ts')
      pack ??= new PluginPack(deps)
      return pack
    },
    keep: () => pack?.keep(),
  }
}

interface KernelDeps {
  readonly pack: PackOpener
  readonly options: BootOptions
  readonly home: Home
  readonly ports: Ports
  readonly config: ConfigStore
  readonly consents: ConsentService
  readonly settings: SettingsReader
  readonly handles: Handles | undefined
  readonly discover: () => Promise<readonly PluginRecord[]>
  readonly log: Log
}

function createKernel({ pack, options, config, consents, handles, ...deps }: KernelDeps): Kernel {
  const { role, limits, onSlow, beforeForeign, cwd } = options
  const kernel: Kernel = new Kernel({
    ...deps,
    cwd,
    config: {
      get: (path) => config.get(path),
      load: () => config.load(),
      refuseEdit: () => refuseConfigEdit(config, kernel.hooks),
    },
    judge: (found) => consents.judgeAll(found),
    findPacked: async (found, content) => (await pack.open()).find(found, content),
    loadModule: (found, content) =>
      importPlugin(found, content, { staging: createBundleStore(kernel, config, found), openPack: pack.open }),
    unmet: (info) => findUnmet(config, info),
    states: (whose) => new States(whose),
    jobs: (whose) => new Jobs(whose),
    readSdkNames: async () => (await import('../loader/sdk-facade.ts')).readSdkNames(),
    ...(role && { role }),
    ...(limits && { limits }),
    ...(handles && { handles }),
    ...(onSlow && { onSlow }),
    ...(beforeForeign && { beforeForeign }),
  })
  return kernel
}

function openLog(home: Home, { env, onError }: BootOptions, deps: Pick<LogOptions, 'clock' | 'secrets'>): Log {
  const level = env['SVC_LOG'] as Level | undefined
  const file = home.path('logs', 'svc.log')
  return new Log({ ...deps, file, ...(level ? { level } : {}), ...(onError ? { onError } : {}) })
}

/** Its secrets are known once it was discovered. */
function createDiscoverer(home: Home, projectDir: string | undefined, options: BootOptions, config: ConfigStore) {
  const { embedded = [], folders = [], found } = options
  const discover = createDiscovery({ home: home.dir, projectDir, embedded, folders, ...(found && { found }) })
  return async () => {
    const all = await discover()
    config.secrets.declare(declaredSecrets(all))
    return all
  }
}

function createBundleStore(kernel: Kernel, { seal }: ConfigStore, { manifest, dir }: PluginRecord): BundleStore {
  const { name: plugin } = manifest
  return {
    cache: kernel.home.path('cache', 'plugins'),
    seal,
    onTampered(out) {
      const message = `its bundle ${out} was changed outside svc; it was built again from ${dir}`
      kernel.report({ plugin, stage: 'import', message, code: 'PLUGIN_BUNDLE_CHANGED' })
    },
    onOldNames: (codes) => warnOfOldNames(kernel.getLog('kernel'), plugin, codes),
  }
}

function createWatched({ home, ports, catalogue, problems }: Kernel, config: ConfigStore, log: Log): WatchedHome {
  const report = (problem: Omit<PluginProblem, 'at'>) => {
    problems.add(problem)
    log.for('kernel').warn(problem.message, { code: problem.code })
  }
  return { home, config, now: ports.clock.now(), found: catalogue.found, report }
}

/** One line for each name, when the plugin is bundled: not at each start. */
async function warnOfOldNames(log: Logger, plugin: string, codes: readonly string[]): Promise<void> {
  const { describeRename, readRenames } = await import('../loader/sdk-facade.ts')
  for (const rename of readRenames()) if (codes.includes(rename.code)) log.warn(describeRename(plugin, rename))
}

/** Going by defaults could switch on what the user switched off. */
function unreadable(config: ConfigStore): SvcError {
  const [{ message = '', hint = 'svc config edit' } = {}] = config.problems()
  return new SvcError('CONFIG_UNREADABLE', `${message}. Nothing was changed. Fix it with: ${hint}.`)
}
