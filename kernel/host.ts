/** One generation of one plugin: its life, and the context it sees. Nothing it throws gets past here. */

import type { PluginRecord } from '../loader/manifest.ts'
import type { Handles } from '../program/handles.ts'
import type { Ports } from '../program/ports.ts'
import { errorCode, errorMessage, SvcError } from '../sdk/errors.ts'
import { type MigratedSettings, migrateSettings, refusedMigration } from '../sdk/kit/state/settings.ts'
import type { Manifest } from '../sdk/manifest.ts'
import type { Dispose, Logger, Plugin, PluginContext, ProcessRole } from '../sdk/plugin.ts'
import type { PluginProblem, PluginStatus } from '../sdk/plugins.ts'
import { formatIssuePath } from '../sdk/schema.ts'
import { commonContext } from './context.ts'
import type { HookTable } from './hooks.ts'
import { Lasting } from './lasting.ts'
import { within } from './limit.ts'
import { type Owner, runAs } from './owner.ts'
import { isRoleList } from './plan.ts'
import type { Points } from './points.ts'
import { Scope } from './scope.ts'
import type { Services } from './services.ts'

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
  readonly ports: Ports
  readonly limits: StageLimits
  readonly role: ProcessRole
  /** The folder that svc was started in. */
  readonly cwd: string
  readonly handles: Handles | undefined
  getLog(plugin: string): Logger
  loadModule(found: PluginRecord): Promise<Plugin>
  /** The values of the plugin's config block. */
  getConfigBlock(found: PluginRecord): unknown
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
  /** Work that must end before the generation may be closed. */
  holds = 0
  #life: Life = 'new'
  #reason: string | undefined
  #scope: Scope = new Scope()
  #starts: (() => void | Promise<void>)[] = []
  /** What it replaced and wrapped. */
  readonly #powers: Set<string> = new Set()
  /** Begun after all `onStart`: jobs. */
  #begins: (() => void)[] = []
  #ground: Ground
  readonly #lasting: Lasting
  #steps: Plugin['configMigrations']

  constructor(found: PluginRecord, owner: Owner, ground: Ground, lasting: Lasting = new Lasting(owner.name, ground)) {
    this.found = found
    this.owner = owner
    owner.adopt = (disposer) => this.#scope.defer(disposer)
    this.#ground = ground
    this.dataDir = ground.getDataDir(found)
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
    const code = await this.#stage('import', limits.import, async () => ({ plugin: await this.#import() }))
    if (!code) return false
    const { plugin } = code
    const config = await this.#stage('config', limits.setup, async () => ({ value: await this.#parseConfig(plugin) }))
    if (!config) return false
    this.config = config.value
    const ok = await this.#stage('setup', limits.setup, async () => {
      const last = await plugin.setup(this.#context(config.value))
      if (typeof last === 'function') this.#scope.defer(last)
      return true
    })
    if (!ok || !(await this.#stage('manifest', limits.setup, async () => this.#checkManifest()))) return false
    this.#life = 'loaded'
    this.#reason = undefined
    this.#ground.getLog(this.name).debug('loaded', { generation: this.owner.generation, at: ports.clock.monotonic() })
    return true
  }

  async start(): Promise<boolean> {
    if (this.#life !== 'loaded') return this.#life === 'started'
    const ok = await this.#stage('start', this.#ground.limits.start, async () => {
      for (const start of this.#starts) await start()
      return true
    })
    if (!ok) return false
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

  async #stage<T>(stage: string, limitMs: number, run: () => Promise<T>): Promise<T | undefined> {
    const clock = this.#ground.ports.clock
    const slow = clock.after(this.#ground.limits.slow, () => this.#saySlow(stage), { background: true })
    try {
      return await within(clock, limitMs, `its ${stage}`, () => runAs(this.owner, run))
    } catch (error) {
      this.#life = 'failed'
      this.#reason = `${stage}: ${errorMessage(error)}`
      this.#report(stage, error)
      await this.close()
      return undefined
    } finally {
      slow()
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

  async #import(): Promise<Plugin> {
    const plugin = await this.#ground.loadModule(this.found)
    if (typeof plugin?.setup === 'function') return plugin
    throw new SvcError('PLUGIN_FAILED', 'its index does not export definePlugin({ setup }) as default')
  }

  async #parseConfig(plugin: Plugin): Promise<unknown> {
    this.#steps = plugin.configMigrations
    const migrated = this.#migrate(this.#ground.getConfigBlock(this.found))
    const { values: block, from, to } = migrated
    if (!plugin.config) return undefined
    const result = await plugin.config['~standard'].validate(block ?? {})
    if (!result.issues) return result.value
    const path = blockPath(this.found)
    if (block !== undefined && (typeof block !== 'object' || block === null || Array.isArray(block)))
      throw new SvcError(
        'CONFIG_INVALID',
        `config.yaml: "${path}" is ${JSON.stringify(block)}, but must be a section with its settings indented below it. Edit it with: svc config edit`,
      )
    if (from < to) throw refusedMigration(path, migrated, result.issues)
    const said = result.issues.map((issue) => {
      const at = [path, formatIssuePath(issue)].filter(Boolean).join('.')
      return `config.yaml: ${at} is ${JSON.stringify(valueAt(block, formatIssuePath(issue)))}: ${issue.message}. Fix it with: svc config set ${at} <value>`
    })
    throw new SvcError('CONFIG_INVALID', said.join('; '))
  }

  #migrate(block: unknown): MigratedSettings {
    return migrateSettings(block, blockPath(this.found), this.#steps)
  }

  /** The values of its block in the form of its code, as one text to compare: the migration of the file changes nothing. */
  fingerprint(): string {
    const block = this.#ground.getConfigBlock(this.found)
    try {
      return JSON.stringify(this.#migrate(block).values ?? null)
    } catch {
      // The reload says what is wrong.
      return JSON.stringify(block ?? null)
    }
  }

  /** Whether config.yaml still has its block in an earlier form. */
  get lacksMigration(): boolean {
    const { origin } = this.found
    // The file of a project is not the user's, and one run of a folder does not decide for those after it.
    if (!this.#steps || this.failed || origin === 'project' || origin === 'command-line') return false
    const { from, to } = this.#migrate(this.#ground.getConfigBlock(this.found))
    return from < to
  }

  /** Its registrations must match its manifest, or the plan was based on wrong facts. */
  #checkManifest(): true {
    const { manifest, origin } = this.found
    if (origin === 'embedded') return true
    const problems = compare('provides', manifest.provides ?? [], this.#ground.services.ownedBy(this.owner))
    const points = this.#ground.points.ownedBy(this.owner)
    const cli = points['cli'] ?? []
    problems.push(
      ...compare(
        'cli',
        (manifest.cli ?? []).map((entry) => entry.name),
        cli,
      ),
    )
    problems.push(...this.#comparePoints(points), ...this.#unusedPowers())
    if (this.#declaresAliases()) {
      const aliases = Object.entries(manifest.aliases ?? {}).filter(([point]) => !this.#isElsewhere(point))
      const said = { ...manifest, aliases: Object.fromEntries(aliases) }
      problems.push(...compareAliases(said, this.#ground.points.aliasesBy(this.owner)))
    }
    if (problems.length === 0) return true
    throw new SvcError('PLUGIN_MANIFEST_LIES', `plugin.json and behaviour differ: ${problems.join('; ')}`)
  }

  #comparePoints(points: Record<string, string[]>): string[] {
    const declared = this.found.manifest.contributes ?? {}
    const all = new Set([...Object.keys(declared), ...Object.keys(points)])
    const here = [...all].filter((point) => point !== 'cli' && !this.#isElsewhere(point))
    return here.flatMap((point) => {
      const [said, done] = [declared[point] ?? [], points[point] ?? []]
      return compare(point, said, this.#isDynamic(point) ? said.filter((key) => done.includes(key)) : done)
    })
  }

  #context(config: unknown): PluginContext<unknown> {
    const { services, points } = this.#ground
    const { owner, dataDir } = this
    const scope = this.#scope
    const report = (stage: string, error: unknown) => this.#report(stage, error)
    const whenStarted = (begin: () => void) => {
      const isEarly = this.#life === 'new' || this.#life === 'loaded'
      return isEarly ? void this.#begins.push(begin) : begin()
    }
    return {
      ...commonContext({ ground: this.#ground, owner, scope, dataDir, report, whenStarted }),
      config,
      provide: (token, make) => {
        this.#checkLate('provides', token.id, 'refuse')
        return scope.defer(services.provide(token, owner, make))
      },
      add: (point, item) => {
        if (this.#isElsewhere(point.id)) return () => {}
        const undo = scope.defer(points.add(point, item, owner))
        const added = item as never
        for (const name of [point.key(added), ...(this.#declaresAliases() ? (point.aliases?.(added) ?? []) : [])])
          this.#checkLate(point.id, name, point.acceptsLate ? 'report' : 'refuse', undo)
        return undo
      },
      replace: (point, key, make) => {
        this.#checkPower(`replaces ${point.id}`, key, this.found.manifest.replaces?.[point.id])
        return this.#isElsewhere(point.id) ? () => {} : scope.defer(points.replace(point, key, owner, make))
      },
      wrap: (token, make) => {
        this.#checkPower('wraps', token.id, this.found.manifest.wraps)
        return scope.defer(services.wrap(token, owner, make))
      },
      onStart: (start) => void this.#starts.push(start),
      keep: (key, make, end = () => {}) => this.#lasting.keep(key, make as never, end, report),
    }
  }

  /** A plugin of a user that has no `aliases` in its manifest may be written for an SDK that did not have that field. */
  #declaresAliases(): boolean {
    return this.found.origin === 'built-in' || this.found.manifest.aliases !== undefined
  }

  /** The user agreed to what the manifest says that it replaces and wraps, and to nothing else. */
  #checkPower(what: string, key: string, declared: readonly string[] = []): void {
    this.#powers.add(`${what} ${key}`)
    if (this.found.origin === 'embedded' || declared.includes(key)) return
    throw new SvcError('PLUGIN_MANIFEST_LIES', `${what} "${key}" is not in plugin.json`)
  }

  /** Powers that its manifest has and that it did not use. */
  #unusedPowers(): string[] {
    const { replaces = {}, wraps = [] } = this.found.manifest
    const declared = [
      ...Object.entries(replaces).flatMap(([point, keys]) => keys.map((key) => `replaces ${point} ${key}`)),
      ...wraps.map((id) => `wraps ${id}`),
    ]
    return declared
      .filter((power) => !this.#powers.has(power))
      .map((power) => `${power}, which is promised, is missing`)
  }

  /** Whether items of the point come and go while the plugin runs. */
  #isDynamic(point: string): boolean {
    return this.found.manifest.dynamic?.includes(point) === true
  }

  /** Whether its contributions to the point belong to processes of another role. */
  #isElsewhere(point: string): boolean {
    const { in: roles } = this.found.manifest
    if (roles === undefined || isRoleList(roles) || roles[point] === undefined) return false
    return !roles[point].includes(this.#ground.role)
  }

  /** What a plugin of a user registers after it was set up is compared with its manifest too. */
  #checkLate(what: string, key: string, otherwise: 'refuse' | 'report', undo?: Dispose): void {
    const { manifest, origin } = this.found
    if (this.#life === 'new' || origin === 'embedded' || origin === 'built-in' || this.#isDynamic(what)) return
    const said = [
      ...((what === 'provides' ? manifest.provides : manifest.contributes?.[what]) ?? []),
      ...(manifest.aliases?.[what] ?? []),
    ]
    if (said.includes(key) || said.includes('*')) return
    const mend =
      otherwise === 'report' ? '; name it there, or the point in "dynamic" where names are only known at run time' : ''
    const error = new SvcError('PLUGIN_MANIFEST_LIES', `${what} "${key}" is not in plugin.json${mend}`)
    if (otherwise === 'refuse') {
      void undo?.()
      throw error
    }
    this.#report('manifest', error)
  }
}

/** The config block of a plugin. That of a project's plugin is in the project's own file, whatever it would like to own. */
export function blockPath({ manifest, origin }: PluginRecord): string {
  if (origin === 'project') return `plugins.entries.${manifest.name}`
  return manifest.config ?? `plugins.entries.${manifest.name}`
}

/** `*` in the manifest means keys that are only known at run time. */
function compare(what: string, said: readonly string[], done: readonly string[]): string[] {
  if (said.includes('*')) return []
  const missing = said.filter((key) => !done.includes(key)).map((key) => `${what} "${key}" is promised but missing`)
  const extra = done.filter((key) => !said.includes(key)).map((key) => `${what} "${key}" is not in plugin.json`)
  return [...missing, ...extra]
}

/** Of a point whose keys are only known at run time the aliases are not known either. */
function compareAliases(
  { aliases = {}, contributes = {}, dynamic = [] }: Manifest,
  done: Record<string, string[]>,
): string[] {
  const points = new Set([...Object.keys(aliases), ...Object.keys(done)])
  const known = [...points].filter((point) => !contributes[point]?.includes('*') && !dynamic.includes(point))
  return known.flatMap((point) => compare(`alias of ${point}`, aliases[point] ?? [], done[point] ?? []))
}

function valueAt(block: unknown, path: string): unknown {
  let value: unknown = block
  for (const part of path.split('.').filter(Boolean)) value = (value as Record<string, unknown> | undefined)?.[part]
  return value ?? 'not set'
}
