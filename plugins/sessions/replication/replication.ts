/** Shares the rows of local databases: sends what changes here, takes over what changes elsewhere, and holds scopes. */
import { Clock, errorCode, type PluginContext, Random, SvcError } from 'svc/sdk'
import { toRegistration, waitAtMost } from 'svc/sdk/kit/async'
import type { Database } from 'svc/sdk/storage'
import { type ScopeHold, type SharedScopes, type SharedTableSet, SharedTables } from 'svc/sdk/store'
import type { Config } from './config.ts'
import type { Link, LinkDeps } from './link.ts'
import { LocalCopy } from './local-copy.ts'
import { numbers } from './numbers.ts'

/** How often is looked whether something is to be sent, and whether a notice was missed. */
const LOOK_MS = 2000
/** How long a process that ends waits for what it has to send. */
const LAST_MS = 5000
const BASES = 2 ** 26
const BASE_STEP = 2 ** 20

interface Held {
  readonly epoch: number
  readonly lost: AbortController
  count: number
}

export interface ReplicationDeps {
  readonly ctx: PluginContext<Config>
  /** Opens a file for this plugin itself. */
  open(set: SharedTableSet): Database
  /** Connects to the server. */
  connect(deps: Pick<LinkDeps, 'copies' | 'epochs' | 'lost'>): Promise<Link>
}

/** Contract: `SharedScopes` of the SDK. */
export class Replication implements SharedScopes {
  readonly isShared = true
  readonly #deps: ReplicationDeps
  readonly #sets: Map<string, SharedTableSet> = new Map()
  readonly #copies: Map<string, LocalCopy> = new Map()
  /** Connections of the owners of files. */
  readonly #watched: Map<string, Set<Database>> = new Map()
  readonly #held: Map<string, Held> = new Map()
  /** What is under way with a scope, one after the other. */
  readonly #turns: Map<string, Promise<unknown>> = new Map()
  readonly #listeners = new Set<(sets: readonly string[]) => void>()
  readonly nextNumber: () => number
  #link: Promise<Link> | undefined
  #isOpening = false
  #isClosed = false
  #cancelLook = () => {}

  constructor(deps: ReplicationDeps) {
    this.#deps = deps
    this.nextNumber = numbers(deps.ctx.use(Clock), deps.ctx.use(Random))
  }

  /** Contract: `DatabaseWatcher` of the SDK. */
  opened(database: Database): ((scope: string | undefined) => Promise<void>) | undefined {
    if (this.#isOpening) return undefined
    const set = this.#deps.ctx
      .all(SharedTables)
      .all()
      .find(({ file }) => file === database.file)
    if (!set) return undefined
    LocalCopy.watch(set, database, [...this.#held.keys()])
    const all = this.#watched.get(set.file) ?? new Set()
    this.#watched.set(set.file, all.add(database))
    if (this.#watched.size === 1) this.#lookLater()
    return (scope) => this.#sent(set, scope)
  }

  async hold(scope: string): Promise<ScopeHold> {
    const held = await this.#inTurn(scope, async () => {
      const known = this.#held.get(scope)
      if (known) {
        known.count++
        return known
      }
      return this.#take(scope)
    })
    let isOver = false
    const release = async () => {
      if (isOver) return
      isOver = true
      await this.#inTurn(scope, () => this.#giveBack(scope, held))
    }
    return { signal: held.lost.signal, release, [Symbol.asyncDispose]: release }
  }

  async follow(): Promise<void> {
    await (await this.#connected()).follow()
  }

  onChange(listener: (sets: readonly string[]) => void) {
    this.#listeners.add(listener)
    return toRegistration(() => void this.#listeners.delete(listener))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelLook()
    await waitAtMost(this.#deps.ctx.use(Clock), LAST_MS, this.#leave())
    await Promise.allSettled([...this.#copies.values()].map((copy) => copy.close()))
  }

  async #leave(): Promise<void> {
    const { log } = this.#deps.ctx
    try {
      // A command that changed something sends it before it ends.
      if (this.#link || this.#hasChanges) await (await this.#connected()).send()
      await (await this.#link)?.close()
    } catch (error) {
      log.warn('What was changed here is not at the database server yet; it is sent when svc runs again.', { error })
    }
  }

  async #take(scope: string): Promise<Held> {
    const link = await this.#connected()
    const { losses } = link
    const taken = await link.take(scope)
    if ('holder' in taken) {
      const text = `This is in use by ${taken.holder}. It is free when that has ended, or ${this.#deps.ctx.config.lease_seconds} seconds after it has died.`
      throw new SvcError('SCOPE_HELD', text, { status: 409 })
    }
    await link.bring(scope)
    if (link.losses !== losses)
      throw new SvcError('SCOPE_HELD', 'The database server was away for too long. Try again.', { status: 503 })
    const held = { epoch: taken.epoch, lost: new AbortController(), count: 1 }
    this.#held.set(scope, held)
    this.#mark(scope, true)
    return held
  }

  async #giveBack(scope: string, held: Held): Promise<void> {
    if (--held.count > 0 || this.#held.get(scope) !== held) return
    const link = await this.#connected()
    await link.giveBack(scope, () => {
      if (this.#held.get(scope) !== held) return
      this.#held.delete(scope)
      this.#mark(scope, false)
    })
  }

  #mark(scope: string, isHeld: boolean): void {
    for (const database of [...this.#watched.values()].flatMap((all) => [...all])) {
      try {
        LocalCopy.hold(database, scope, isHeld)
      } catch (error) {
        if (errorCode(error) !== 'STORAGE_CLOSED') throw error
        for (const all of this.#watched.values()) all.delete(database)
      }
    }
  }

  /** All scopes, or some: what was written in them and not sent is taken back when one is held again. */
  #lost(scopes: readonly string[] = [...this.#held.keys()]): void {
    if (scopes.length === 0) return
    for (const copy of this.#all()) copy.lose(scopes)
    for (const scope of scopes) {
      const held = this.#held.get(scope)
      this.#held.delete(scope)
      held?.lost.abort(
        new SvcError('SCOPE_HELD', 'Another process may have taken this over; nothing more is done here.'),
      )
    }
    this.#deps.ctx.log.warn(
      'Scopes were lost: the database server was away for too long, or this process stood still.',
      {
        scopes: scopes.length,
      },
    )
  }

  /** Resolves when what was written is at the server. */
  async #sent(set: SharedTableSet, scope: string | undefined): Promise<void> {
    const copy = this.#copy(set)
    if (!copy.hasChanges && (scope === undefined || !copy.isLost(scope))) return
    const link = await this.#connected()
    const stuck = await link.send()
    if (scope === undefined || (!stuck.has(scope) && !copy.isLost(scope))) return
    throw new SvcError(
      'SCOPE_HELD',
      'Another process, perhaps on another machine, has taken this over meanwhile; here it has no effect any more.',
      { status: 409 },
    )
  }

  /** In the files that were opened here. */
  get #hasChanges(): boolean {
    return this.#all().some((copy) => this.#watched.has(copy.set.file) && copy.hasChanges)
  }

  #connected(): Promise<Link> {
    this.#link ??= this.#connect().catch((error) => {
      this.#link = undefined
      throw error
    })
    return this.#link
  }

  async #connect(): Promise<Link> {
    const link = await this.#deps.connect({
      copies: () => this.#all(),
      epochs: () => new Map([...this.#held].map(([scope, { epoch }]) => [scope, epoch])),
      lost: (scopes) => this.#lost(scopes),
    })
    const random = this.#deps.ctx.use(Random)
    await link.begin({
      base: () => (1 + Math.floor(random.next() * (BASES - 1))) * BASE_STEP,
      changed: (sets) => {
        for (const listener of [...this.#listeners]) listener(sets)
      },
    })
    this.#lookLater()
    return link
  }

  /** What no caller waits for, such as a new title, is sent soon. */
  #lookLater(): void {
    this.#cancelLook()
    if (this.#isClosed) return
    const { ctx } = this.#deps
    this.#cancelLook = ctx.use(Clock).after(LOOK_MS, () => void this.#look(), { background: true })
  }

  async #look(): Promise<void> {
    try {
      if (this.#link || this.#hasChanges) {
        const link = await this.#connected()
        await link.look()
      }
    } catch (error) {
      this.#deps.ctx.log.debug('rows could not be shared', { error })
    }
    this.#lookLater()
  }

  #all(): readonly LocalCopy[] {
    // What a plugin wrote is sent also after it has ended, as when svc ends.
    for (const set of this.#deps.ctx.all(SharedTables).all()) this.#sets.set(set.name, set)
    return [...this.#sets.values()].map((set) => this.#copy(set))
  }

  #copy(set: SharedTableSet): LocalCopy {
    const known = this.#copies.get(set.name)
    if (known?.set.file === set.file) return known
    const copy = new LocalCopy(set, () => {
      this.#isOpening = true
      try {
        return this.#deps.open(set)
      } finally {
        this.#isOpening = false
      }
    })
    this.#copies.set(set.name, copy)
    return copy
  }

  async #inTurn<T>(scope: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(scope) ?? Promise.resolve()
    const own = before.catch(() => {}).then(work)
    this.#turns.set(scope, own)
    try {
      return await own
    } finally {
      if (this.#turns.get(scope) === own) this.#turns.delete(scope)
    }
  }
}
