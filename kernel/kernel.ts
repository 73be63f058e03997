/** Loads, starts, replaces and stops plugins. */
import { ConfigChanged } from '../sdk/config.ts'
import type { Service } from '../sdk/declarations.ts'
import { errorCode, errorMessage, SvcError } from '../sdk/errors.ts'
import type { Home } from '../sdk/home.ts'
import { listServices, listWanted } from '../sdk/manifest.ts'
import type { Logger, Plugin, ProcessRole } from '../sdk/plugin.ts'
import {
  PluginFailed,
  type PluginProblem,
  Plugins,
  PluginsChanged,
  type SvcProcess,
  SvcStarted,
  SvcStopping,
} from '../sdk/plugins.ts'
import { findPlace } from './error-place.ts'
import { Generations } from './generations.ts'
import { Guards, listGates } from './guards.ts'
import { HookTable, type OnListenerError } from './hooks.ts'
import { type Ground, Host, type StageLimits } from './host.ts'
import type { KernelOptions, OpenHandles, PackedPlugin, PluginSettings, Unmet } from './kernel-options.ts'
import { currentOwner, followOwners, kernelOwner, type Owner, runAs } from './owner.ts'
import { notProvided, type Omission } from './plan.ts'
import { PluginCatalogue } from './plugin-catalogue.ts'
import { isForeign, type PluginRecord } from './plugin-record.ts'
import { createPlugins } from './plugins-service.ts'
import { Points } from './points.ts'
import { Problems } from './problems.ts'
import { Services } from './services.ts'

/** For a disposer behind one that took all the time there was. */
const LAST_DISPOSE_MS = 50

/** The life of the program: loads plugins, starts them, replaces them, ends them. What plugins see of it is `Plugins`. */
export class Kernel implements Ground {
  readonly hooks: HookTable
  readonly services: Services = new Services((owner, place, error) => this.#reportReplacement(owner, place, error))
  readonly points: Points
  readonly ports: KernelOptions['ports']
  readonly home: Home
  readonly settings: PluginSettings
  readonly states: KernelOptions['states']
  readonly jobs: KernelOptions['jobs']
  readonly limits: StageLimits
  readonly role: ProcessRole
  readonly cwd: string
  readonly handles: OpenHandles | undefined
  readonly generations: Generations
  readonly catalogue: PluginCatalogue
  readonly problems: Problems
  readonly guards: Guards
  readonly plugins: Plugins
  #options: KernelOptions
  #log: Logger
  /** Plugins that were requested by name. */
  #asked: Set<string> = new Set()
  /** Plugins that are about to be loaded from the pack. */
  readonly #packed: Map<PluginRecord, PackedPlugin> = new Map()
  #changes: Promise<unknown> = Promise.resolve()
  #isStarted = false
  #isStopping = false
  #stopBy = Number.POSITIVE_INFINITY

  constructor(options: KernelOptions) {
    this.#options = options
    this.ports = options.ports
    this.home = options.home
    this.settings = options.settings
    this.states = options.states
    this.jobs = options.jobs
    this.handles = options.handles
    this.limits = { import: 10_000, setup: 10_000, start: 30_000, dispose: 900, slow: 800, ...options.limits }
    this.role = options.role ?? 'embedded'
    this.cwd = options.cwd ?? process.cwd()
    this.#log = options.log.for('kernel')
    this.catalogue = new PluginCatalogue({ ...options, role: this.role })
    this.problems = new Problems(() => this.ports.clock.now())
    this.guards = new Guards({
      found: () => this.catalogue.found,
      live: (name) => this.generations.live(name),
      whyNot: (found) => this.catalogue.findOmission(found),
      enabled: () => this.catalogue.namesIn('plugins.enabled'),
      disabled: () => this.catalogue.namesIn('plugins.disabled'),
      relaxed: (name) => this.problems.relaxed(name),
      unmet: () => this.unmet(),
    })
    const onError: OnListenerError = (owner, hook, error, suspended) => {
      const suffix = suspended ? ' (suspended after five failures in a minute)' : ''
      const message = `${hook}: ${errorMessage(error)}${suffix}`
      this.report({ plugin: owner.name, stage: 'hook', message, code: 'HOOK_FAILED' }, error, hook)
    }
    this.hooks = new HookTable(this.ports.clock, onError, this.guards)
    this.points = new Points(() => this.ports.clock.monotonic(), onError)
    this.generations = new Generations((owners) => {
      this.hooks.refresh()
      this.points.refresh(owners)
    })
    this.plugins = createPlugins(this, options.readSdkNames)
    this.services.provide(Plugins, kernelOwner, () => this.plugins)
  }

  /** Reads plugins and loads those asked for, with what they need. Failures are reported, not thrown. */
  async load(names: readonly string[]): Promise<void> {
    await this.#exclusive(async () => {
      const { catalogue } = this
      if (!catalogue.found.length) await catalogue.discover()
      for (const name of [...names, ...catalogue.namesIn('plugins.required')]) this.#asked.add(name)
      await catalogue.judge()
      const plan = catalogue.plan(this.#asked, this.#given())
      catalogue.keepOmissions(plan)
      this.points.claims = plan.claims
      this.hooks.refresh()
      const hosts: Host[] = []
      for (const found of plan.load) {
        const live = this.generations.live(found.manifest.name)
        if (live && !live.failed) continue
        const host = await this.#loadOne(found)
        if (host) hosts.push(host)
      }
      await this.#startAll(hosts)
    })
  }

  /** Loads a plugin unless it serves already: what is needed for each piece of work is brought for each, and a plan costs milliseconds. */
  async bring(name: string): Promise<void> {
    const isServing = ['started', 'suspended'].includes(this.generations.live(name)?.status ?? '')
    return isServing ? void this.#asked.add(name) : this.load([name])
  }

  /** Unloads a plugin and those that require it; returns their names. */
  async disable(name: string): Promise<readonly string[]> {
    this.catalogue.known(name)
    return this.#unload(name, (gone) => void this.#asked.delete(gone))
  }

  /** The contract of `Plugins.reload`. */
  async reload(name: string): Promise<void> {
    await this.#exclusive(async () => {
      await this.catalogue.discover()
      this.catalogue.known(name)
      await this.catalogue.judge()
      const old = this.generations.withDependents(name)
      if (!old.length) throw new SvcError('PLUGIN_LEFT_OUT', `${name} is not running, so there is nothing to reload.`)
      const fresh = await this.#prepare(old)
      await this.generations.swap(old, fresh)
      await this.#tell(fresh.map((host) => host.name))
    })
  }

  /** Reads the config again and brings the running plugins in line with it. */
  async applyConfig(): Promise<void> {
    const blocks = new Map(this.generations.all().map((host) => [host.name, host.fingerprint()]))
    const { config } = this.#options
    const refusal = await config.refuseEdit()
    if (refusal !== undefined)
      return this.report({ plugin: 'kernel', stage: 'files', message: refusal, code: 'CONFIG_DENIED' })
    const paths = await config.load()
    if (!paths.length) return
    await this.catalogue.judge()
    const { leftOut } = this.catalogue.plan(this.#asked, this.#given())
    const off = this.generations.all().filter((host) => leftOut.has(host.name))
    for (const { name } of off) await this.#unload(name).catch((error) => this.#complain(name, error))
    await this.load([])
    for (const host of this.generations.all()) {
      const { name } = host
      if (blocks.has(name) && blocks.get(name) !== host.fingerprint())
        await this.reload(name).catch((error) => this.#complain(name, error))
    }
    await this.hooks.call(ConfigChanged as never, { paths })
  }

  /** Announces that what the process was started with runs. */
  started(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    void this.hooks.call(SvcStarted as never, this.#process)
  }

  /** Ends everything, whatever still runs. */
  async stop(): Promise<void> {
    if (this.#isStarted && !this.#isStopping) {
      this.#isStopping = true
      await this.hooks.call(SvcStopping as never, this.#process)
    }
    this.#stopBy = this.ports.clock.monotonic() + this.limits.dispose
    await this.#exclusive(() => this.generations.closeAll())
  }

  /** All that hang at the end share the time of one. */
  disposeMs(): number {
    const { dispose } = this.limits
    return Math.max(LAST_DISPOSE_MS, Math.min(dispose, this.#stopBy - this.ports.clock.monotonic()))
  }

  use<T>(token: Service<T>): T {
    return this.services.use(token, kernelOwner)
  }

  getLog(plugin: string): Logger {
    return this.#options.log.for(plugin)
  }

  /** What is in the pack is what was agreed to, whatever the folder has become since: nothing is read again. */
  loadPlugin(found: PluginRecord): Plugin | Promise<Plugin> {
    const packed = this.#packed.get(found)
    this.#packed.delete(found)
    return packed ? packed.load(currentOwner()) : this.loadModule(found)
  }

  /** Compares the code once more: it may have changed since the plan. Throws `PLUGIN_LEFT_OUT`. */
  async loadModule(found: PluginRecord): Promise<Plugin> {
    if (found.plugin) return found.plugin
    const owner = currentOwner()
    const { refusal, content } = await this.catalogue.judgeAgain(found)
    if (refusal) throw new SvcError('PLUGIN_LEFT_OUT', `${found.manifest.name} does not run: ${refusal}`)
    const load = () => this.#options.loadModule(found, content)
    return owner ? runAs(owner, load) : load()
  }

  getDataDir({ manifest, project }: PluginRecord): string {
    const { name } = manifest
    return project ? this.home.path('data', 'projects', project.key, name) : this.home.path('data', name)
  }

  get #process(): SvcProcess {
    return { role: this.role, pid: process.pid }
  }

  /** What keeps turns from running. */
  unmet(): readonly Unmet[] {
    return this.#options.unmet((name) => this.plugins.info(name))
  }

  /** `hook`: whose listener failed. A failure in reporting failures is not reported. */
  report(given: Omit<PluginProblem, 'at'>, error?: unknown, hook?: string): void {
    // The author of a folder that was named for this run is at the screen.
    const found = this.catalogue.find(given.plugin)
    const place = found?.origin === 'command-line' ? findPlace(error, found.dir) : undefined
    const problem = place ? { ...given, message: `${given.message} (${place})` } : given
    const full = this.problems.add({ ...problem, ...(isExposing(error) && { exposes: true }) })
    this.getLog(problem.plugin).error(`${problem.stage}: ${problem.message}`, { code: problem.code, error })
    if (hook !== PluginFailed.id) void this.hooks.call(PluginFailed as never, full)
  }

  slow(plugin: string, stage: string): void {
    this.getLog(plugin).warn(`${stage} takes long`)
    this.#options.onSlow?.(plugin, stage)
  }

  /** Services that are there without any plugin. */
  #given(): ReadonlySet<string> {
    return new Set(this.services.ownedBy(kernelOwner))
  }

  async #loadOne(found: PluginRecord): Promise<Host | undefined> {
    const { manifest } = found
    const broken = manifest.requires?.find((service) => !this.services.has(service, kernelOwner))
    if (broken) {
      const culprit = this.#providerNamed(broken)
      this.catalogue.leaveOut(manifest.name, culprit ? lostService(broken, culprit, 'failed') : notProvided(broken))
      return undefined
    }
    await this.#expectForeign(found)
    const owner: Owner = { ...this.#createOwner(found, {}), state: 'live' }
    const host = new Host(found, owner, this, this.generations.lasting(owner.name, this))
    await host.load()
    this.generations.add(host)
    return host.failed ? undefined : host
  }

  /** Before code of a user runs: what it starts must be traced to it. */
  async #expectForeign(found: PluginRecord): Promise<void> {
    if (!isForeign(found)) return
    const content = this.catalogue.agreedContent(found)
    const packed = content && (await this.#options.findPacked(found, content))
    if (packed) this.#packed.set(found, packed)
    const isFollowed = packed?.isQuiet !== true
    this.#options.beforeForeign?.(isFollowed)
    if (isFollowed) followOwners()
  }

  #providerNamed(service: string): string | undefined {
    return this.catalogue.found.find(({ manifest }) => manifest.provides?.includes(service))?.manifest.name
  }

  /** A plugin that fails to start takes those that require it with it. */
  async #startAll(hosts: readonly Host[]): Promise<void> {
    for (const host of hosts) {
      const missing = host.found.manifest.requires?.find((id) => !this.services.has(id, kernelOwner))
      if (missing) {
        const provider = this.#providerNamed(missing)
        await this.generations.swap([host], [])
        this.catalogue.leaveOut(
          host.name,
          provider ? lostService(missing, provider, 'failed to start') : notProvided(missing),
        )
      } else await host.start()
    }
    this.hooks.refresh()
    if (hosts.length) await this.#tell(hosts.map((host) => host.name))
  }

  /** Unloads the plugin and its dependents. A requested plugin stays requested and is loaded again when possible. */
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
      const found = this.catalogue.known(name)
      const host = new Host(found, this.#createOwner(found, batch), this, this.generations.lasting(name, this))
      fresh.push(host)
      const refusal = this.catalogue.findRefusal(found)
      if (!refusal) await this.#expectForeign(found)
      if (!refusal && (await host.load()) && (await host.start())) continue
      for (const started of fresh.reverse()) await started.close()
      const reason = refusal ?? host.reason ?? 'it failed'
      throw new SvcError('PLUGIN_RELOAD_FAILED', `${name} was not replaced, the old one keeps serving. ${reason}`)
    }
    return fresh
  }

  /** What users bring may use the services that its manifest names. */
  #createOwner(found: PluginRecord, batch: object): Owner {
    const { manifest, origin } = found
    this.problems.forgetRelaxed(manifest.name)
    const { unfit } = found
    for (const message of unfit?.values() ?? []) this.getLog(manifest.name).warn(message)
    const isGuard = listGates(manifest).length > 0
    const owner = { ...this.generations.next(manifest.name, batch), isGuard, ...(unfit && { unfit }) }
    if (origin === 'built-in' || origin === 'embedded') return owner
    const { requires = [], brings = [], with: companions = [], provides = [], contributes = {} } = manifest
    const named = new Set([
      ...requires,
      ...listWanted(manifest),
      ...listServices(manifest.uses),
      ...brings,
      ...companions,
      ...provides,
      ...(manifest.wraps ?? []),
    ])
    return { ...owner, named, contributes }
  }

  /** What was to stand in the place of something else could not be made. */
  #reportReplacement(owner: Owner, place: string, error: unknown): void {
    const message = `${place} is not replaced: ${errorMessage(error)}`
    this.report({ plugin: owner.name, stage: 'replace', message, code: errorCode(error) }, error)
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
    const forget = () => {
      this.catalogue.forgetContents()
      this.#packed.clear()
    }
    this.#changes = next.then(forget, forget)
    return next
  }
}

/** A service whose provider ran into an error after the plan was made. */
function lostService(service: string, plugin: string, what: 'failed' | 'failed to start'): Omission {
  return { reason: `"${service}" is not available: ${plugin} ${what}`, leftOut: { code: 'requires', service, plugin } }
}

function isExposing(error: unknown): boolean {
  return (error as Partial<SvcError> | undefined)?.exposes === true
}
