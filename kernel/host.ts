/** One generation of one plugin: its life, and the context it sees. Nothing it throws gets past here. */
import { errorCode, errorMessage, SvcError } from '../sdk/errors.ts'
import { toRegistration } from '../sdk/kit/async/registration.ts'
import type { Dispose, Logger, Plugin, PluginContext, ProcessRole } from '../sdk/plugin.ts'
import type { PluginProblem, PluginStatus } from '../sdk/plugins.ts'
import { commonContext } from './context.ts'
import { Declarations } from './declarations.ts'
import type { HookTable } from './hooks.ts'
import type { KernelOptions, OpenHandles, PluginSettings } from './kernel-options.ts'
import { type Owner, runAs } from './owner.ts'
import { Lasting } from './plugin-lifetime.ts'
import type { PluginRecord } from './plugin-record.ts'
import type { Points } from './points.ts'
import { Scope } from './scope.ts'
import type { Services } from './services.ts'
import { isPromise, limited } from './time-limit.ts'

/** Milliseconds that each stage of a plugin's life may take. */
export interface StageLimits {
  readonly import: number
  readonly setup: number
  readonly start: number
  readonly dispose: number
  /** The time after which a running stage is reported as slow. */
  readonly slow: number
}

/** What a host needs of the kernel. */
export interface Ground {
  readonly hooks: HookTable
  readonly services: Services
  readonly points: Points
  readonly ports: KernelOptions['ports']
  readonly limits: StageLimits
  readonly role: ProcessRole
  /** The folder that svc was started in. */
  readonly cwd: string
  readonly handles: OpenHandles | undefined
  readonly settings: PluginSettings
  readonly states: KernelOptions['states']
  readonly jobs: KernelOptions['jobs']
  getLog(plugin: string): Logger
  loadPlugin(found: PluginRecord): Plugin | Promise<Plugin>
  getDataDir(found: PluginRecord): string
  report(problem: Omit<PluginProblem, 'at'>, error: unknown): void
  /** What the next disposer may take: less when the program ends. */
  disposeMs(): number
  /** A stage is still under way after longer than usual. */
  slow(plugin: string, stage: string): void
}

type Life = 'new' | 'loaded' | 'started' | 'draining' | 'closed' | 'failed'

export class Host {
  readonly found: PluginRecord
  readonly owner: Owner
  readonly dataDir: string
  /** The values of its block, checked; undefined until they were. */
  config: unknown
  /** Undefined until it was imported. */
  code: Plugin | undefined
  /** Work that must end before the generation may be closed. */
  holds = 0
  #life: Life = 'new'
  #reason: string | undefined
  #scope: Scope = new Scope()
  #starts: (() => void | Promise<void>)[] = []
  /** Begun after all `onStart`: jobs. */
  #begins: (() => void)[] = []
  #ground: Ground
  readonly #lasting: Lasting
  readonly #declarations: Declarations

  constructor(found: PluginRecord, owner: Owner, ground: Ground, lasting: Lasting = new Lasting(owner.name, ground)) {
    this.found = found
    this.owner = owner
    owner.adopt = (disposer) => this.#scope.defer(disposer)
    this.#ground = ground
    this.dataDir = ground.getDataDir(found)
    this.#declarations = new Declarations(found, owner, ground)
    this.#lasting = lasting
    lasting.join(this)
  }

  get name(): string {
    return this.owner.name
  }

  get failed(): boolean {
    return this.#life === 'failed'
  }

  get reason(): string | undefined {
    return this.#reason
  }

  get status(): PluginStatus {
    if (this.#life === 'failed' || this.#life === 'draining' || this.#life === 'loaded') return this.#life
    if (this.#life === 'started') return this.#ground.hooks.ownedBy(this.owner).suspended > 0 ? 'suspended' : 'started'
    return 'available'
  }

  /** Imports the code, checks the config, runs `setup`, and compares what it registered with its manifest. */
  async load(): Promise<boolean> {
    const { limits, ports } = this.#ground
    const code = await this.#stage('import', limits.import, () => this.#import())
    if (!code) return false
    const { plugin } = code
    this.code = plugin
    const read = () => {
      const value = this.#ground.settings.read(this.found, plugin)
      return isPromise(value) ? Promise.resolve(value).then((checked) => ({ value: checked })) : { value }
    }
    const config = await this.#stage('config', limits.setup, read)
    if (!config) return false
    this.config = config.value
    const keepLast = (last: unknown): true => {
      if (typeof last === 'function') this.#scope.defer(last as Dispose)
      return true
    }
    const ok = await this.#stage('setup', limits.setup, () => {
      const last: unknown = plugin.setup(this.#context(config.value))
      return isPromise(last) ? Promise.resolve(last).then(keepLast) : keepLast(last)
    })
    if (!ok || !(await this.#stage('manifest', limits.setup, () => this.#declarations.check()))) return false
    this.#life = 'loaded'
    this.#reason = undefined
    this.#ground.getLog(this.name).debug('loaded', { generation: this.owner.generation, at: ports.clock.monotonic() })
    return true
  }

  async start(): Promise<boolean> {
    if (this.#life !== 'loaded') return this.#life === 'started'
    const startAll = async () => {
      for (const start of this.#starts) await start()
      return true
    }
    if (this.#starts.length > 0 && !(await this.#stage('start', this.#ground.limits.start, startAll))) return false
    this.#life = 'started'
    for (const begin of this.#begins.splice(0)) runAs(this.owner, begin)
    // It may have been slow; it is not any more.
    this.#reason = undefined
    return true
  }

  /** Lookups no longer find this host; it stays alive for the work that began with it. */
  retire(): void {
    this.owner.state = 'retired'
    if (this.#life !== 'failed') this.#life = 'draining'
  }

  /** Undoes everything; reports what could not be undone. */
  async close(): Promise<void> {
    this.owner.state = 'retired'
    await runAs(this.owner, () =>
      this.#scope.close(
        this.#ground.ports.clock,
        () => this.#ground.disposeMs(),
        (error) => this.#report('dispose', error),
      ),
    )
    await this.#lasting.leave(this, (stage, error) => this.#report(stage, error))
    if (this.#life !== 'failed') this.#life = 'closed'
    // What a plugin keeps open for its next generation was opened by one of those before.
    if (!this.#lasting.isOver && !this.#lasting.isEmpty) this.#ground.handles?.move(this.owner, this.#lasting.owner)
    for (const owner of [this.owner, ...(this.#lasting.isOver ? [this.#lasting.owner] : [])])
      await this.#checkResidue(owner)
  }

  /** With handles followed, whatever the plugin left running after its end is reported. */
  async #checkResidue(owner: Owner): Promise<void> {
    const { handles, ports } = this.#ground
    if (!handles) return
    for (let tries = 0; tries < 10; tries++) {
      if (!Object.keys(handles.ownedBy(owner)).length) return
      await new Promise((resolve) => setImmediate(resolve))
      if (tries > 4) await new Promise<void>((resolve) => void ports.clock.after(20, resolve))
    }
    const left = Object.entries(handles.ownedBy(owner)).map(([kind, count]) => `${count} ${kind}`)
    this.#report('residue', new SvcError('PLUGIN_RESIDUE', `left behind after its end: ${left.join(', ')}`))
  }

  /** What it holds now, by kind. */
  holdings(): Record<string, number> {
    const { hooks, services, points, handles } = this.#ground
    const contributions = Object.values(points.ownedBy(this.owner)).reduce((sum, keys) => sum + keys.length, 0)
    const counts = {
      listeners: hooks.ownedBy(this.owner).taps,
      services: services.ownedBy(this.owner).length,
      contributions,
      disposers: this.#scope.size,
      ...handles?.ownedBy(this.owner),
    }
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  }

  /** What is done at once needs no timers. */
  async #stage<T>(stage: string, limitMs: number, run: () => T | Promise<T>): Promise<T | undefined> {
    const clock = this.#ground.ports.clock
    let slow: Dispose = () => {}
    try {
      const work = limited(clock, limitMs, `its ${stage}`, () => runAs(this.owner, run))
      if (!isPromise(work)) return work
      slow = clock.after(this.#ground.limits.slow, () => this.#saySlow(stage), { background: true })
      return await work
    } catch (error) {
      this.#life = 'failed'
      this.#reason = `${stage}: ${errorMessage(error)}`
      this.#report(stage, error)
      await this.close()
      return undefined
    } finally {
      void slow()
    }
  }

  /** A culprit is named long before it is given up. */
  #saySlow(stage: string): void {
    this.#reason = `${stage} takes long`
    this.#ground.slow(this.name, stage)
  }

  #report(stage: string, error: unknown): void {
    this.#ground.report({ plugin: this.name, stage, message: errorMessage(error), code: errorCode(error) }, error)
  }

  #import(): { readonly plugin: Plugin } | Promise<{ readonly plugin: Plugin }> {
    const loaded = this.#ground.loadPlugin(this.found)
    return isPromise(loaded) ? Promise.resolve(loaded).then(checkPlugin) : checkPlugin(loaded)
  }

  /** One text that differs when its settings do. */
  fingerprint(): string {
    return this.#ground.settings.fingerprint(this.found, this.code)
  }

  #context(config: unknown): PluginContext<unknown> {
    const { services, points } = this.#ground
    const { owner, dataDir } = this
    const [scope, declarations] = [this.#scope, this.#declarations]
    const report = (stage: string, error: unknown) => this.#report(stage, error)
    const whenStarted = (begin: () => void) => {
      const isEarly = this.#life === 'new' || this.#life === 'loaded'
      return isEarly ? void this.#begins.push(begin) : begin()
    }
    return {
      ...commonContext({ ground: this.#ground, owner, scope, dataDir, report, whenStarted }),
      config,
      get signal() {
        return scope.signal
      },
      provide: (token, make) => {
        this.#checkLate('provides', token.id, 'refuse')
        return scope.defer(services.provide(token, owner, make))
      },
      add: (point, item) => {
        if (declarations.isElsewhere(point.id)) return toRegistration(() => {})
        const undo = scope.defer(points.add(point, item, owner))
        for (const name of declarations.listNames(point, item as never))
          this.#checkLate(point.id, name, point.acceptsLate ? 'report' : 'refuse', undo)
        return undo
      },
      replace: (point, key, make) => {
        declarations.checkPower(`replaces ${point.id}`, key, this.found.manifest.replaces?.[point.id])
        return scope.defer(declarations.isElsewhere(point.id) ? () => {} : points.replace(point, key, owner, make))
      },
      wrap: (token, make) => {
        declarations.checkPower('wraps', token.id, this.found.manifest.wraps)
        return scope.defer(services.wrap(token, owner, make))
      },
      onStart: (start) => void this.#starts.push(start),
      keep: (key, make, end = () => {}) => this.#lasting.keep(key, make as never, end, report),
    }
  }

  /** What a plugin of a user registers after it was set up is compared with its manifest too. */
  #checkLate(what: string, key: string, otherwise: 'refuse' | 'report', undo?: Dispose): void {
    if (this.#life === 'new') return
    const advice = '; name it there, or the point in "dynamic" where names are only known at run time'
    const error = this.#declarations.findLate(what, key, otherwise === 'report' ? advice : '')
    if (error && otherwise === 'report') this.#report('manifest', error)
    if (!error || otherwise === 'report') return
    void undo?.()
    throw error
  }
}

function checkPlugin(plugin: Plugin): { readonly plugin: Plugin } {
  if (typeof plugin?.setup === 'function') return { plugin }
  throw new SvcError('PLUGIN_FAILED', 'its index does not export definePlugin({ setup }) as default')
}
