/** What goes to the server and comes from it, while there is one. */
import { type Clock, errorCode, type Logger, type Registration } from 'svc/sdk'
import type { SharedDatabase } from 'svc/sdk/store'
import { ProcessLease } from './lease.ts'
import type { LocalChange, LocalCopy, Reverted } from './local-copy.ts'
import {
  CHANGES,
  type ForeignRow,
  type OwnProcess,
  RowServer,
  type ShipOutcome,
  type ShippedChange,
} from './row-server.ts'
import type { Tables } from './schema.ts'
import { SharedWork } from './shared-work.ts'

/** Rows that are sent, or taken over, together. */
const BATCH = 400
/** How long something waits for a server that is away. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 200
/** A notice may be missed. */
const FOLLOW_MS = 6000
const away = /^STORAGE_(UNAVAILABLE|BUSY|TIMEOUT)$/

export interface LinkDeps {
  readonly database: SharedDatabase<Tables>
  readonly clock: Clock
  readonly log: Logger
  readonly own: OwnProcess
  readonly ttlMs: number
  copies(): readonly LocalCopy[]
  /** Of the scopes that this process has. */
  epochs(): ReadonlyMap<string, number>
  /** These scopes, or all, are not this process's any more. */
  lost(scopes?: readonly string[]): void
}

interface Batch {
  readonly copy: LocalCopy
  readonly changes: readonly LocalChange[]
}

export class Link {
  readonly #deps: LinkDeps
  readonly #server: RowServer
  readonly #lease: ProcessLease
  readonly #sending = new SharedWork(() => this.#sendAll())
  readonly #following = new SharedWork(() => this.#followAll(false))
  /** Scopes that could not be given back yet. */
  readonly #toGiveBack = new Set<string>()
  #listening: Registration | undefined
  #changed: (sets: readonly string[]) => void = () => {}
  #followedAt = 0
  #isClosed = false
  /** Counts how often scopes were lost. */
  losses = 0

  constructor(deps: LinkDeps) {
    this.#deps = deps
    this.#server = new RowServer(deps.database, deps.own, deps.ttlMs)
    const lost = () => this.#lost()
    this.#lease = new ProcessLease({ ...deps, renew: () => this.#server.renew(), lost })
  }

  /** Brings everything here. `base`: see `prepare` of `SharedTableSet`. */
  async begin({ base, changed }: { base(): number; changed(sets: readonly string[]): void }): Promise<void> {
    this.#changed = changed
    await this.#lease.begin()
    await this.#server.tidy()
    const store = await this.#server.store()
    for (const copy of this.#deps.copies()) copy.join(store, base())
    // A file that was restored from a copy lacks rows of its own; another process of this home may be writing them now.
    await this.#followAll(await this.#server.isAlone())
    this.#listening = this.#deps.database.listen(CHANGES, (notice) => {
      if (notice !== this.#deps.own.runner) void this.follow().catch(this.#note)
    })
    void this.#sendEarlier().catch(this.#note)
  }

  /** Sends what was changed up to now. Returns the scopes of what could not be sent, since others write in them. */
  send(): Promise<ReadonlySet<string>> {
    return this.#sending.ask()
  }

  /** Brings here what others have written up to now. */
  follow(): Promise<void> {
    return this.#following.ask()
  }

  async take(scope: string): ReturnType<RowServer['take']> {
    this.#toGiveBack.delete(scope)
    return this.#patiently(() => this.#server.take(scope))
  }

  /** After a scope was taken: brings its rows here, and takes back what was written in it after it was lost. */
  async bring(scope: string): Promise<void> {
    await this.#patiently(() => this.follow())
    for (const copy of this.#deps.copies()) {
      if (!copy.isLost(scope)) continue
      const reverted = await this.#findReverted(copy, copy.ownChanges([scope]))
      copy.apply([], { version: copy.version, reverted })
      copy.found(scope)
    }
  }

  /** Sends what was written in a scope, and gives it back; later, where the server is away now. `ended` is called in between. */
  async giveBack(scope: string, ended: () => void): Promise<void> {
    try {
      await this.send()
      ended()
      await this.#server.release([scope])
    } catch (error) {
      this.#note(error)
      ended()
      this.#toGiveBack.add(scope)
    }
  }

  /** What no caller waits for. */
  async look(): Promise<void> {
    const { clock, copies } = this.#deps
    if (copies().some((copy) => copy.changes(1).length > 0)) await this.send()
    if (this.#toGiveBack.size > 0) {
      const scopes = [...this.#toGiveBack]
      await this.#server.release(scopes)
      for (const scope of scopes) this.#toGiveBack.delete(scope)
    }
    if (clock.monotonic() - this.#followedAt > FOLLOW_MS) await this.follow()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listening?.()
    this.#lease.end()
    try {
      await this.#server.leave()
    } finally {
      await this.#deps.database.close()
    }
  }

  #lost(scopes?: readonly string[]): void {
    this.losses++
    this.#deps.lost(scopes)
  }

  async #sendAll(): Promise<ReadonlySet<string>> {
    const stuck = new Set<string>()
    const after = new Map<LocalCopy, number>()
    for (;;) {
      const batches = this.#deps.copies().flatMap((copy): Batch[] => {
        const changes = copy.changes(BATCH, { after: after.get(copy) ?? 0 })
        return changes.length > 0 ? [{ copy, changes }] : []
      })
      if (batches.length === 0) return stuck
      for (const { copy, changes } of batches) after.set(copy, changes.at(-1)?.id ?? 0)
      for (const scope of await this.#sendBatches(batches)) stuck.add(scope)
    }
  }

  /** Returns the scopes of what could not be sent. */
  async #sendBatches(batches: readonly Batch[]): Promise<readonly string[]> {
    // What was written after the loss of a scope is never sent.
    const isLost = ({ copy }: Batch, { scope }: LocalChange) => copy.isLost(scope)
    const lost = batches.flatMap((batch) => batch.changes.filter((change) => isLost(batch, change)))
    const rest = batches.flatMap((batch) => {
      const changes = batch.changes.filter((change) => !isLost(batch, change))
      return changes.map((change) => ({ copy: batch.copy, change }))
    })
    const outcomes = rest.length === 0 ? [] : await this.#ship(rest)
    await this.#conclude(rest.map((each, at) => ({ ...each, outcome: outcomes[at] ?? 'left' })))
    const isStuck = (outcome: ShipOutcome | undefined) => outcome === 'held' || outcome === 'lost'
    return [...lost, ...rest.filter((_, at) => isStuck(outcomes[at])).map(({ change }) => change)].map(
      ({ scope }) => scope,
    )
  }

  #ship(all: readonly { readonly copy: LocalCopy; readonly change: LocalChange }[]): Promise<readonly ShipOutcome[]> {
    const changes: ShippedChange[] = all.map(({ copy, change }) => ({
      ...change,
      set: copy.set.name,
      ...copy.read(change),
    }))
    const versions = new Map(all.map(({ copy }) => [copy.set.name, copy.version]))
    const { losses } = this
    return this.#patiently(async () => {
      // A scope that was lost while the server was away may be another's.
      if (this.losses !== losses) return changes.map(() => 'left')
      if (this.#lease.hasEnded) this.#lost()
      if (this.losses !== losses) return changes.map(() => 'left')
      return this.#server.ship(changes, { epochs: this.#deps.epochs(), versions })
    })
  }

  async #conclude(
    all: readonly { readonly copy: LocalCopy; readonly change: LocalChange; readonly outcome: ShipOutcome }[],
  ): Promise<void> {
    const lost = new Set(all.flatMap(({ change, outcome }) => (outcome === 'lost' ? [change.scope] : [])))
    if (lost.size > 0) this.#lost([...lost])
    for (const copy of new Set(all.map((each) => each.copy))) {
      const own = all.filter((each) => each.copy === copy)
      const pick = (outcome: ShipOutcome) => own.flatMap((each) => (each.outcome === outcome ? [each.change] : []))
      const written = pick('written')
      if (written.length > 0) copy.done(written)
      const existing = pick('exists')
      if (existing.length > 0)
        copy.apply([], { version: copy.version, reverted: await this.#findReverted(copy, existing) })
    }
    if (all.some(({ outcome }) => outcome === 'behind')) await this.follow()
  }

  /** Sends rows that existed before tables were shared, concurrently with new changes. */
  async #sendEarlier(): Promise<void> {
    for (const copy of this.#deps.copies()) {
      for (;;) {
        const changes = copy.changes(BATCH, { isEarlier: true })
        if (changes.length === 0 || this.#isClosed) break
        const all = changes.map((change) => ({ copy, change }))
        const outcomes = await this.#ship(all)
        if (outcomes.some((outcome) => outcome === 'left')) break
        await this.#conclude(all.map((each, at) => ({ ...each, outcome: outcomes[at] as ShipOutcome })))
      }
    }
  }

  async #followAll(own: boolean): Promise<void> {
    const head = await this.#server.head()
    const changed: string[] = []
    for (const copy of this.#deps.copies()) if (await this.#followOne(copy, head, own)) changed.push(copy.set.name)
    this.#followedAt = this.#deps.clock.monotonic()
    if (changed.length > 0) this.#changed(changed)
  }

  /** Whether something came. */
  async #followOne(copy: LocalCopy, head: number, own: boolean): Promise<boolean> {
    for (let any = false; ; any = true) {
      const after = copy.version
      const rows = after < head ? await this.#server.rows(copy.set.name, { after, upTo: head, limit: BATCH, own }) : []
      if (rows.length > 0) await this.#takeOver(copy, rows)
      if (rows.length < BATCH) {
        copy.advance(head)
        return any || rows.length > 0
      }
    }
  }

  async #takeOver(copy: LocalCopy, rows: readonly ForeignRow[]): Promise<void> {
    const before = await this.#server.find(copy.set.name, copy.missing(rows))
    const scopes = new Set(rows.flatMap(({ overtakes, scope }) => (overtakes ? [scope] : [])))
    const reverted = await this.#findReverted(copy, copy.ownChanges([...scopes]))
    copy.apply(rows, { version: rows.at(-1)?.version ?? 0, before, reverted })
  }

  async #findReverted(copy: LocalCopy, changes: readonly LocalChange[]): Promise<readonly Reverted[]> {
    if (changes.length === 0) return []
    const rows = await this.#server.find(copy.set.name, changes)
    const found = new Map(rows.map((row) => [`${row.table} ${row.key}`, row]))
    return changes.map((change) => ({ change, row: found.get(`${change.table} ${change.key}`) }))
  }

  /** Again while the server is away, for a minute. What is done bears that. */
  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#deps
    const until = clock.monotonic() + PATIENCE_MS
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!away.test(String(errorCode(error))) || this.#isClosed || clock.monotonic() >= until) throw error
      }
      await clock.sleep(PAUSE_MS)
    }
  }

  readonly #note = (error: unknown) => this.#deps.log.debug('rows could not be shared', { error })
}
