/** `import { openSvc } from 'svc'`: the runtime inside another program. */
import type { StageLimits } from '../kernel/host.ts'
import { kernelOwner } from '../kernel/owner.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { builtIns } from '../loader/discover.ts'
import { SDK_VERSION } from '../loader/manifest.ts'
import type { NamedFolders } from '../loader/named-folders.ts'
import { CliCommands, type CliContext } from '../sdk/cli.ts'
import type { ExtensionPoint, Hook, Service } from '../sdk/declarations.ts'
import { SvcError } from '../sdk/errors.ts'
import type { Manifest } from '../sdk/manifest.ts'
import type { ContributionRegistry, Plugin, ProcessRole } from '../sdk/plugin.ts'
import type { Plugins } from '../sdk/plugins.ts'
import type { Clock, Net, Random } from '../sdk/ports.ts'
import type { InlinePlugin } from '../sdk/runtime.ts'
import { boot } from './boot.ts'
import { findEntry, listEntries } from './command-entry.ts'

export type { InlinePlugin }

/** How to open the runtime. @since 0.1 */
export interface OpenOptions {
  /** SVC_HOME; without it the environment decides. */
  readonly home?: string
  /** Built-in or installed plugins to load, with what they need. */
  readonly plugins?: readonly string[]
  readonly with?: readonly InlinePlugin[]
  /**
   * Folders of plugins (absolute, or from `cwd`), run in place with their manifests; that the program names them is the consent to
   * their code. One that is no plugin is refused: `PLUGIN_MANIFEST`, with file and line of a fault.
   */
  readonly dirs?: readonly string[]
  /** Stands in for config.yaml. */
  readonly config?: Record<string, unknown>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly clock?: Clock
  readonly random?: Random
  readonly net?: Net
  readonly limits?: Partial<StageLimits>
  /** Follow timers, sockets and child processes per plugin. */
  readonly audit?: boolean
  /** What plugins see as the role of the process (default `embedded`). */
  readonly role?: ProcessRole
}

/** An open runtime. @since 0.1 */
export interface OpenSvc {
  readonly home: string
  readonly plugins: Plugins
  use<T>(token: Service<T>): T
  find<T>(token: Service<T>): T | undefined
  all<T>(point: ExtensionPoint<T>): ContributionRegistry<T>
  call<L, V, C, R>(
    hook: Hook<L, V, C, R>,
    value: V,
    ...context: C extends undefined ? [] : [context: NoInfer<C>]
  ): Promise<R>
  /** Reads config.yaml and .env again and brings the plugins in line. */
  applyConfig(): Promise<void>
  /** Follows edits of config.yaml, .env and foreign plugin folders. */
  follow(): Promise<void>
  /** Runs a shell command inside this runtime; returns its exit code. */
  run(argv: readonly string[], io: CliContext): Promise<number>
  stop(): Promise<void>
}

/** Opens a runtime and starts its plugins. A plugin that fails is reported by `plugins`, not thrown. @since 0.1 */
export async function openSvc(options: OpenOptions = {}): Promise<OpenSvc> {
  const { clock, random, net } = options
  const cwd = options.cwd ?? process.cwd()
  const folders = await readFolders(options.dirs ?? [], cwd)
  const booted = await boot({
    env: options.env ?? process.env,
    cwd,
    folders: folders.dirs,
    ...(options.home === undefined ? {} : { home: options.home }),
    ports: { ...(clock && { clock }), ...(random && { random }), ...(net && { net }) },
    embedded: (options.with ?? []).map(embed),
    ...(options.config && { config: options.config }),
    ...(options.limits && { limits: options.limits }),
    audit: options.audit ?? false,
    ...(options.role && { role: options.role }),
    open: openSvc,
  })
  const { kernel, stop } = booted
  const inline = (options.with ?? []).map(({ name }) => name)
  await kernel.load([...inline, ...folders.plugins, ...(options.plugins ?? [])])
  kernel.started()
  return {
    home: kernel.home.dir,
    plugins: kernel.plugins,
    use: (token) => kernel.services.use(token, kernelOwner),
    find: (token) => kernel.services.find(token, kernelOwner),
    all: (point) => kernel.points.view(point, kernelOwner),
    call: (hook: unknown, value: unknown, context?: unknown) =>
      kernel.hooks.call(hook as never, value, context) as never,
    applyConfig: () => kernel.applyConfig(),
    follow: () => booted.follow(),
    async run(words, io) {
      const found = findEntry(listEntries(kernel.plugins.list()), words)
      const name = found?.entry.name ?? words[0] ?? ''
      const argv = found?.after ?? words.slice(1)
      const plugin = found?.entry.of.manifest.name ?? kernel.points.view(CliCommands, kernelOwner).owner(name)
      const [{ runLoaded }, { failure }] = await Promise.all([import('./run-loaded.ts'), import('./cli.ts')])
      try {
        if (!plugin) throw new SvcError('CLI_USAGE', `"${name}" is not a command.`)
        return await runLoaded(booted, { command: name, plugins: [plugin], argv }, io)
      } catch (error) {
        const { text, code } = failure(error)
        io.err(text)
        return code
      }
    },
    stop,
  }
}

async function readFolders(dirs: readonly string[], cwd: string): Promise<Pick<NamedFolders, 'dirs' | 'plugins'>> {
  if (dirs.length === 0) return { dirs: [], plugins: [] }
  const { readNamedFolders } = await import('../loader/named-folders.ts')
  return readNamedFolders(dirs, builtIns(), cwd, 'dirs')
}

function embed({ setup, config, configMigrations, ...fields }: InlinePlugin): PluginRecord {
  const block = typeof config === 'string' ? { config } : {}
  const schema = { ...(typeof config === 'object' && { config }), ...(configMigrations && { configMigrations }) }
  const basics = { version: '0.0.0', sdk: `^${SDK_VERSION}`, kind: 'embedded', description: 'brought by the program' }
  const manifest: Manifest = { ...basics, ...fields, ...block }
  return { manifest, origin: 'embedded', dir: '', plugin: { setup, ...schema } as unknown as Plugin }
}
