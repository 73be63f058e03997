/** Loads, starts, replaces and stops plugins. Knows no feature by name. */
import { CommandSources, Commands, SlashCommands } from '../sdk/commands.ts'
import { Config, ConfigChanged } from '../sdk/config.ts'
import { errorMessage, SvcError } from '../sdk/errors.ts'
import { Home } from '../sdk/home.ts'
import type { Disposer, Logger, Plugin } from '../sdk/plugin.ts'
import { PluginFailed, type PluginInfo, type PluginProblem, Plugins, PluginsChanged } from '../sdk/plugins.ts'
import { Clock, Net, Random } from '../sdk/ports.ts'
import { Runtimes } from '../sdk/runtime.ts'
import { Secrets } from '../sdk/secrets.ts'
import type { Point, Service } from '../sdk/token.ts'
import { CommandTable } from './commands.ts'
import type { ConfigStore } from './config.ts'
import { ConfigFollower } from './follow.ts'
import type { Found } from './found.ts'
import { Generations } from './generations.ts'
import { Handles } from './handles.ts'
import { HookTable } from './hooks.ts'
import { blockPath, type Ground, Host, type StageLimits } from './host.ts'
import type { Log } from './log.ts'
import { nearest } from './nearest.ts'
import { followOwners, kernelOwner, type Owner } from './owner.ts'
import { type Plan, plan } from './plan.ts'
import { Points } from './points.ts'
import type { Ports } from './ports.ts'
import { Services } from './services.ts'

export interface KernelOptions {
  readonly home: Home
  readonly config: ConfigStore
  readonly ports: Ports
  readonly log: Log
  /** Everything that could be loaded; asked again before a reload. */
  readonly discover: () => Promise<readonly Found[]>
  readonly moduleOf: (found: Found) => Promise<Plugin>
  readonly limits?: Partial<StageLimits>
  /** Follows timers, sockets and child processes per plugin; costs speed. */
  readonly audit?: boolean
  /** Told of a plugin that keeps everybody waiting. */
  readonly open?: Runtimes['open']
  readonly onSlow?: (plugin: string, stage: string) => void
}

const KEPT_PROBLEMS = 200

export class Kernel implements Ground, Plugins {
  readonly hooks: HookTable
  readonly services: Services = new Services()
  readonly points: Points = new Points()
  readonly ports: Ports
  readonly home: Home
  readonly config: ConfigStore
  readonly limits: StageLimits
  readonly handles: Handles | undefined
  readonly generations: Generations
  #options: KernelOptions
  #log: Logger
  #found: readonly Found[] = []
  #leftOut: Map<string, string> = new Map()
  #asked: Set<string> = new Set()
  #problems: PluginProblem[] = []
  #changes: Promise<unknown> = Promise.resolve()
  #follower: ConfigFollower | undefined

  constructor(options: KernelOptions) {
    this.#options = options
    this.ports = options.ports
    this.home = options.home
    this.config = options.config
    this.limits = { import: 10_000, setup: 10_000, start: 30_000, dispose: 900, slow: 800, ...options.limits }
    this.#log = options.log.for('kernel')
    this.hooks = new HookTable(this.ports.clock, (owner, hook, error, suspended) => {
      const suffix = suspended ? ' (suspended after five failures in a minute)' : ''
      const message = `${hook}: ${errorMessage(error)}${suffix}`
      this.report({ plugin: owner.name, stage: 'hook', message, code: 'HOOK_FAILED' }, error)
    })
    this.generations = new Generations((owners) => {
      this.hooks.refresh()
      this.points.refresh(owners)
    })
    if (options.audit) {
      this.handles = new Handles()
      this.handles.start()
    }
    this.#offer()
  }

  /** Reads plugins and loads those asked for, with what they need. Failures are reported, not thrown. */
  async load(names: readonly string[]): Promise<void> {
    await this.#exclusive(async () => {
      if (!this.#found.length) this.#found = await this.#options.discover()
      for (const name of names) this.#asked.add(name)
      const { load, leftOut } = this.#plan([...this.#asked])
      this.#leftOut = leftOut
      const hosts: Host[] = []
      for (const found of load) {
        const live = this.generations.live(found.manifest.name)
        if (live && !live.failed) continue
        const host = await this.#loadOne(found)
        if (host) hosts.push(host)
      }
      await this.#startAll(hosts)
    })
  }

  list(): readonly PluginInfo[] {
    return this.#found.map((found) => this.#infoOf(found))
  }

  info(name: string): PluginInfo | undefined {
    const found = this.#find(name)
    return found && this.#infoOf(found)
  }

  problems(): readonly PluginProblem[] {
    return this.#problems
  }

  async bring<T>(token: Service<T>): Promise<T | undefined> {
    const provider = this.#found.find(({ manifest, problem }) => {
      return !problem && manifest.provides?.includes(token.id) && !this.#leftOut.has(manifest.name)
    })
    if (provider) await this.load([provider.manifest.name])
    return this.services.find(token, kernelOwner)
  }

  async enable(name: string): Promise<void> {
    this.#found = await this.#options.discover()
    this.#known(name)
    await this.applyConfig()
    await this.load([name])
    const host = this.generations.live(name)
    if (host && !host.failed) return
    const reason = host?.reason ?? this.#leftOut.get(name) ?? 'it is not needed by anything'
    throw new SvcError('PLUGIN_LEFT_OUT', `${name} is not running: ${reason}.`)
  }

  async disable(name: string): Promise<readonly string[]> {
    this.#known(name)
    return this.#unload(name, (gone) => void this.#asked.delete(gone))
  }

  async reload(name: string): Promise<void> {
    await this.#exclusive(async () => {
      this.#found = await this.#options.discover()
      this.#known(name)
      const old = this.generations.withDependents(name)
      if (!old.length) throw new SvcError('PLUGIN_LEFT_OUT', `${name} is not running, so there is nothing to reload.`)
      const fresh = await this.#prepare(old)
      await this.generations.swap(old, fresh)
      await this.#tell(fresh.map((host) => host.name))
    })
  }

  pin(): Disposer {
    return this.generations.pin()
  }

  async module(name: string): Promise<Plugin> {
    if (!this.#found.length) this.#found = await this.#options.discover()
    return this.moduleOf(this.#known(name))
  }

  /** Follows edits of config and of foreign plugins from now on. */
  async follow(): Promise<void> {
    this.#follower ??= new ConfigFollower(this)
    await this.#follower.start()
  }

  /** Reads the config again and brings the running plugins in line with it. */
  async applyConfig(): Promise<void> {
    const blocks = new Map(this.generations.all().map((host) => [host.name, JSON.stringify(this.blockOf(host.found))]))
    const paths = await this.config.load()
    if (!paths.length) return
    const { leftOut } = this.#plan([...this.#asked])
    const off = this.generations.all().filter((host) => leftOut.has(host.name))
    for (const { name } of off) await this.#unload(name).catch((error) => this.#complain(name, error))
    await this.load([])
    for (const { name, found } of this.generations.all())
      if (blocks.has(name) && blocks.get(name) !== JSON.stringify(this.blockOf(found)))
        await this.reload(name).catch((error) => this.#complain(name, error))
    await this.hooks.call(ConfigChanged as never, { paths })
  }

  /** Ends everything, whatever still runs. */
  async stop(): Promise<void> {
    await this.#follower?.stop()
    await this.#exclusive(() => this.generations.closeAll())
    this.handles?.stop()
  }

  use<T>(token: Service<T>): T {
    return this.services.use(token, kernelOwner)
  }

  logOf(plugin: string): Logger {
    return this.#options.log.for(plugin)
  }

  moduleOf(found: Found): Promise<Plugin> {
    return found.plugin ? Promise.resolve(found.plugin) : this.#options.moduleOf(found)
  }

  blockOf(found: Found): unknown {
    return this.config.get(blockPath(found))
  }

  dataDirOf(plugin: string): string {
    return this.home.path('data', plugin)
  }

  report(problem: Omit<PluginProblem, 'at'>, error?: unknown): void {
    const full = { ...problem, at: this.ports.clock.now() }
    this.#problems = [...this.#problems.slice(1 - KEPT_PROBLEMS), full]
    this.logOf(problem.plugin).error(`${problem.stage}: ${problem.message}`, { code: problem.code, error })
    if (!problem.message.startsWith(PluginFailed.id)) void this.hooks.call(PluginFailed as never, full)
  }

  slow(plugin: string, stage: string): void {
    this.logOf(plugin).warn(`${stage} takes long`)
    this.#options.onSlow?.(plugin, stage)
  }

  #offer(): void {
    const give = <T extends object>(token: Service<T>, value: T) =>
      this.services.provide(token, kernelOwner, () => value)
    give(Clock, this.ports.clock)
    give(Random, this.ports.random)
    give(Net, this.ports.net)
    if (this.#options.open) give(Runtimes, { open: this.#options.open })
    give(Home, this.home)
    give(Config, this.config)
    give(Secrets, this.config.secrets)
    give(Plugins, this as Plugins)
    const view = <T>(point: Point<T>) => this.points.view(point, kernelOwner)
    give(Commands, new CommandTable(view(SlashCommands), view(CommandSources)))
  }

  #plan(names: readonly string[]): Plan {
    const enabled = this.#strings('plugins.enabled')
    const given = new Set(this.services.ownedBy(kernelOwner))
    return plan(this.#found, { names: [...names], enabled, disabled: this.#strings('plugins.disabled'), given })
  }

  #strings(path: string): Set<string> {
    const value = this.config.get(path)
    return new Set(Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])
  }

  async #loadOne(found: Found): Promise<Host | undefined> {
    const { manifest } = found
    const broken = manifest.requires?.find((service) => !this.services.has(service, kernelOwner))
    if (broken) {
      const culprit = this.#found.find((other) => other.manifest.provides?.includes(broken))?.manifest.name
      const why = culprit ? `${culprit} failed` : 'nothing provides it'
      this.#leftOut.set(manifest.name, `"${broken}" is not available: ${why}`)
      return undefined
    }
    if (found.origin !== 'built-in' && found.origin !== 'embedded') followOwners()
    const owner: Owner = { ...this.generations.next(manifest.name, {}), state: 'live' }
    const host = new Host(found, owner, this)
    await host.load()
    this.generations.add(host)
    return host.failed ? undefined : host
  }

  /** A plugin that fails to start takes those that require it with it. */
  async #startAll(hosts: readonly Host[]): Promise<void> {
    for (const host of hosts) {
      const missing = host.found.manifest.requires?.find((id) => !this.services.has(id, kernelOwner))
      if (missing) {
        await this.generations.swap([host], [])
        this.#leftOut.set(host.name, `"${missing}" is not available: its provider failed to start`)
      } else await host.start()
    }
    if (hosts.length) await this.#tell(hosts.map((host) => host.name))
  }

  /** With those that require it. Whoever was asked for stays so, and comes back when it can. */
  async #unload(name: string, forget: (gone: string) => void = () => {}): Promise<readonly string[]> {
    return this.#exclusive(async () => {
      const hosts = this.generations.withDependents(name)
      const names = hosts.map((host) => host.name).reverse()
      names.forEach(forget)
      await this.generations.swap(hosts, [])
      if (names.length) await this.#tell(names)
      return names
    })
  }

  /** The next generation of some plugins, set up and started but not yet seen by others. All or nothing. */
  async #prepare(old: readonly Host[]): Promise<Host[]> {
    const batch = {}
    const fresh: Host[] = []
    for (const { name } of old) {
      const found = this.#known(name)
      const host = new Host(found, this.generations.next(name, batch), this)
      fresh.push(host)
      if (!found.problem && (await host.load()) && (await host.start())) continue
      for (const started of fresh.reverse()) await started.close()
      const reason = found.problem ?? host.reason ?? 'it failed'
      throw new SvcError('PLUGIN_RELOAD_FAILED', `${name} was not replaced, the old one keeps serving. ${reason}`)
    }
    return fresh
  }

  #infoOf(found: Found): PluginInfo {
    const { manifest, origin, dir } = found
    const host = this.generations.live(manifest.name)
    const mine = host && (host.found === found || host.found.dir === dir) ? host : undefined
    const reason = mine?.reason ?? (mine ? undefined : this.#whyNot(found))
    const status = mine?.status ?? (reason ? 'left-out' : 'available')
    const generation = mine?.owner.generation ?? 0
    return { manifest, origin, dir, status, generation, holds: mine?.holdings() ?? {}, ...(reason ? { reason } : {}) }
  }

  /** Of two that say the same name, the second is listed with its origin. */
  #whyNot({ manifest, origin, problem }: Found): string | undefined {
    return problem ?? this.#leftOut.get(`${manifest.name} (${origin})`) ?? this.#leftOut.get(manifest.name)
  }

  #find(name: string): Found | undefined {
    const all = this.#found.filter((found) => found.manifest.name === name)
    return all.find((found) => !found.problem) ?? all[0]
  }

  #known(name: string): Found {
    const found = this.#find(name)
    if (found) return found
    const close = nearest(
      name,
      this.#found.map((other) => other.manifest.name),
    )
    const hint = close ? ` Did you mean ${close}?` : ''
    throw new SvcError('PLUGIN_UNKNOWN', `There is no plugin "${name}".${hint} \`svc plugins\` lists them.`)
  }

  #complain(plugin: string, error: unknown): void {
    this.#log.error(`${plugin} could not follow the change of config`, { error })
  }

  async #tell(names: readonly string[]): Promise<void> {
    await this.hooks.call(PluginsChanged as never, { names })
  }

  /** One change at a time. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#changes.then(work, work)
    this.#changes = next.catch(() => undefined)
    return next
  }
}
