/** Puts a kernel together: home, config, log, plugins. */

import { ConfigStore } from '../home/config.ts'
import { locateHome, prepareHome } from '../home/home.ts'
import type { MachineFile } from '../home/machine.ts'
import type { StageLimits } from '../kernel/host.ts'
import { Kernel } from '../kernel/kernel.ts'
import { builtIns, foreign, projectPluginsEnabled } from '../loader/discover.ts'
import { importPlugin } from '../loader/import.ts'
import { isForeign, type PluginRecord } from '../loader/manifest.ts'
import { SvcError } from '../sdk/errors.ts'
import type { ProcessRole } from '../sdk/plugin.ts'
import type { Runtimes } from '../sdk/runtime.ts'
import { type Level, Log } from './log.ts'
import { openPorts, type Ports } from './ports.ts'

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
  readonly beforeForeign?: () => void
  /** Told of every error that is logged. */
  readonly onError?: (plugin: string, message: string) => void
  /** Continue although config.yaml is broken and no valid copy is left. */
  readonly repair?: boolean
}

export interface Booted {
  readonly kernel: Kernel
  /** Things the user should know, one sentence each. */
  readonly warnings: readonly string[]
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
  const level = env['SVC_LOG'] as Level | undefined
  const file = home.path('logs', 'svc.log')
  const { onError } = options
  const common = { file, clock: ports.clock, secrets: config.secrets }
  const log = new Log({ ...common, ...(level ? { level } : {}), ...(onError ? { onError } : {}) })
  const kernel: Kernel = new Kernel({
    home,
    config,
    ports,
    log,
    ...(options.open ? { open: options.open } : {}),
    discover: discoverer(home.dir, project.on ? options.cwd : undefined, options, config),
    loadModule: (found) => {
      const onTampered = (out: string) => {
        const message = `its bundle ${out} was changed outside svc; it was built again from ${found.dir}`
        kernel.report({ plugin: found.manifest.name, stage: 'import', message, code: 'PLUGIN_BUNDLE_CHANGED' })
      }
      const onOldNames = (codes: readonly string[]) => warnOfOldNames(log, found.manifest.name, codes)
      return importPlugin(found, { cache: home.path('cache', 'plugins'), seal: config.seal, onTampered, onOldNames })
    },
    ...(options.limits ? { limits: options.limits } : {}),
    ...(options.role ? { role: options.role } : {}),
    ...(options.onReloaded ? { onReloaded: options.onReloaded } : {}),
    ...(options.onSlow ? { onSlow: options.onSlow } : {}),
    ...(options.beforeForeign ? { beforeForeign: options.beforeForeign } : {}),
    cwd: options.cwd,
    audit: options.audit ?? env['SVC_AUDIT'] === '1',
  })
  const stop = async () => {
    await kernel.stop()
    ports.close()
  }
  return { kernel, warnings: project.warning ? [project.warning] : [], stop }
}

/** One line for each name, when the plugin is bundled: not at each start. */
async function warnOfOldNames(log: Log, plugin: string, codes: readonly string[]): Promise<void> {
  const { describeRename, readRenames } = await import('../loader/sdk-facade.ts')
  for (const rename of readRenames())
    if (codes.includes(rename.code)) log.for('kernel').warn(describeRename(plugin, rename))
}

/** Going by defaults could switch on what the user switched off. */
function unreadable(config: ConfigStore): SvcError {
  const [{ message = '', hint = 'svc config edit' } = {}] = config.problems()
  return new SvcError('CONFIG_UNREADABLE', `${message}. Nothing was changed. Fix it with: ${hint}.`)
}

/** The first time what was discovered already will do; later the folders are read again. */
function discoverer(
  home: string,
  projectDir: string | undefined,
  { embedded = [], folders = [], found: first }: BootOptions,
  { secrets }: ConfigStore,
) {
  let known = first
  return async (): Promise<readonly PluginRecord[]> => {
    const read = known ?? (await withFolders([...builtIns(), ...(await foreign(home, projectDir))], folders))
    known = undefined
    const found = read.some(isForeign) ? await withReaders(read) : read
    const hasProject = projectDir !== undefined && found.some(({ origin }) => origin === 'project')
    const all = hasProject ? (await import('../loader/project.ts')).withProject(found, projectDir) : found
    secrets.declare(declaredSecrets([...embedded, ...all]))
    return [...embedded, ...all]
  }
}

/** The same with the plugins of these folders, each in the place of an installed one of its name. */
async function withFolders(
  found: readonly PluginRecord[],
  folders: readonly string[],
): Promise<readonly PluginRecord[]> {
  return folders.length === 0 ? found : (await import('../loader/named-folders.ts')).withNamedFolders(found, folders)
}

/** Names of variables that these plugins declare as secret. */
export function declaredSecrets(found: readonly PluginRecord[]): string[] {
  const declared = found.flatMap(({ manifest }) => manifest.env ?? [])
  return declared.filter(({ secret }) => secret).map(({ name }) => name)
}

/** What loads each plugin of a user, where it does not say so itself. */
async function withReaders(found: readonly PluginRecord[]): Promise<readonly PluginRecord[]> {
  const { loadedWith } = await import('../sdk/readers.ts')
  return found.map((each) => {
    const along = isForeign(each) && !each.problem ? loadedWith(each.manifest) : []
    return along.length > 0 ? { ...each, manifest: { ...each.manifest, with: along } } : each
  })
}
