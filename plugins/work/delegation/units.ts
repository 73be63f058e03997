/** Delegations in the shared store: who works on each, what its subagents came to, and whether that was told. */
import { Clock, type PluginContext, Random } from 'svc/sdk'
import { hasEnded, newHolder } from 'svc/sdk/kit/process'
import { type SharedDatabase, SharedStore } from 'svc/sdk/store'
import type { Config } from './config.ts'
import type { Child, ChildResult, Unit } from './delegation.ts'
import { migrations, type Tables, type UnitRow } from './schema.ts'

/** Others take over a unit whose holder was not heard of for so long. */
const LEASE_MS = 60_000
export const RENEW_MS = 20_000
const MAX_RECENT = 20
const DAY_MS = 86_400_000
/** A unit that was told is kept for a repeated call and for people. */
const KEPT_MS = 7 * DAY_MS

/** A unit as it is stored. */
export interface StoredUnit {
  readonly unit: Unit
  /** `running`; `finished`: all subagents have ended; `told`: the result is in its conversation. */
  readonly state: UnitRow['state']
  readonly children: readonly Child[]
  /** How often processes took it over. */
  readonly epoch: number
  /** A person stopped it. */
  readonly isStopped: boolean
  /** Unix time in milliseconds. */
  readonly endedAt: number | undefined
}

export class Units {
  readonly #ctx: Pick<PluginContext<Config>, 'use'>
  readonly #nonce: string
  #opened: Promise<SharedDatabase<Tables>> | undefined

  constructor(ctx: Pick<PluginContext<Config>, 'use'>) {
    this.#ctx = ctx
    this.#nonce = ctx.use(Random).hex(8)
  }

  get isOpen(): boolean {
    return this.#opened !== undefined
  }

  /** Stores a unit that this process works on; with the same key it is the one that there was, also of another process. */
  async create(unit: Unit, children: readonly Child[]): Promise<StoredUnit & { readonly isNew: boolean }> {
    const store = await this.#store()
    const now = await store.now()
    const isNew = await store.transaction(async (tx) => {
      const found = await tx.selectFrom('units').select('id').where('call_key', '=', unit.key).executeTakeFirst()
      if (found) return false
      await tx
        .insertInto('units')
        .values({
          id: unit.id,
          call_key: unit.key,
          session: unit.parent.sessionId,
          mode: unit.mode,
          state: 'running',
          unit: JSON.stringify(unit),
          created_at: unit.createdAt,
          ended_at: null,
          stopped: 0,
          epoch: 1,
          ...this.#claimed(now),
        })
        .execute()
      const rows = children.map(({ id, index }) => ({ unit: unit.id, place: index, id, session: null, result: null }))
      await tx.insertInto('children').values(rows).execute()
      return true
    })
    const [stored] = await this.#read(store, (query) => query.where('call_key', '=', unit.key))
    if (!stored) throw new Error('a delegation that was just stored is not there')
    return { ...stored, isNew }
  }

  async get(id: string): Promise<StoredUnit | undefined> {
    return (await this.#read(await this.#store(), (query) => query.where('id', '=', id)))[0]
  }

  /** Those in the background whose result is not told: of one session, or all; the oldest first, 1,000 at most. */
  async pending(session?: string): Promise<readonly StoredUnit[]> {
    return this.#read(await this.#store(), (query) => {
      const all = query.where('mode', '=', 'background').where('state', '!=', 'told')
      return session === undefined ? all : all.where('session', '=', session)
    })
  }

  /** All of one session, the newest first, 20 at most. */
  async recent(session: string): Promise<readonly StoredUnit[]> {
    const found = await this.#read(await this.#store(), (query) => query.where('session', '=', session))
    return found.toReversed().slice(0, MAX_RECENT)
  }

  /**
   * Makes this process the one that works on it, unless another does. Returns the epoch, which tells a late holder from the present
   * one; undefined where another has it.
   */
  async claim(id: string): Promise<number | undefined> {
    const store = await this.#store()
    const now = await store.now()
    return store.transaction(async (tx) => {
      const row = await tx.selectFrom('units').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row || !this.#isFree(row, now)) return undefined
      const epoch = Number(row.epoch) + 1
      await tx
        .updateTable('units')
        .set({ epoch, ...this.#claimed(now) })
        .where('id', '=', id)
        .execute()
      return epoch
    })
  }

  /** Keeps what this process has. Returns the ids that another has now. */
  async renew(held: ReadonlyMap<string, number>): Promise<readonly string[]> {
    const store = await this.#store()
    const until = (await store.now()) + LEASE_MS
    const lost: string[] = []
    for (const [id, epoch] of held) if (!(await this.#update(id, epoch, { claimed_until: until }))) lost.push(id)
    return lost
  }

  /** Others may have it now. */
  async release(id: string, epoch: number): Promise<void> {
    await this.#update(id, epoch, { claimed_until: 0 })
  }

  async begin(id: string, index: number, session: string): Promise<void> {
    const store = await this.#store()
    await store.query
      .updateTable('children')
      .set({ session })
      .where('unit', '=', id)
      .where('place', '=', index)
      .execute()
  }

  /** Stores the result of one subagent. False when another process has the unit now. */
  async end(id: string, epoch: number, result: ChildResult): Promise<boolean> {
    const store = await this.#store()
    return store.transaction(async (tx) => {
      const own = await tx
        .selectFrom('units')
        .select('id')
        .where('id', '=', id)
        .where('epoch', '=', epoch)
        .executeTakeFirst()
      if (!own) return false
      await tx
        .updateTable('children')
        .set({ result: JSON.stringify(result) })
        .where('unit', '=', id)
        .where('place', '=', result.task_index)
        .execute()
      return true
    })
  }

  /** All of its subagents have ended. False when another process has it now. */
  async finish(id: string, epoch: number): Promise<boolean> {
    const now = await (await this.#store()).now()
    return this.#update(id, epoch, { state: 'finished', ended_at: now })
  }

  /** A person stopped it. */
  async stop(id: string): Promise<void> {
    const store = await this.#store()
    await store.query.updateTable('units').set({ stopped: 1 }).where('id', '=', id).execute()
  }

  /** The result is in the conversation. */
  async told(id: string): Promise<void> {
    const store = await this.#store()
    await store.query.updateTable('units').set({ state: 'told', claimed_until: 0 }).where('id', '=', id).execute()
    await this.#prune(store)
  }

  async forget(sessions: readonly string[]): Promise<void> {
    const store = await this.#store()
    await store.transaction(async (tx) => {
      const own = tx.selectFrom('units').select('id').where('session', 'in', sessions)
      await tx.deleteFrom('children').where('unit', 'in', own).execute()
      await tx.deleteFrom('units').where('session', 'in', sessions).execute()
    })
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await (await opened?.catch(() => undefined))?.close()
  }

  #store(): Promise<SharedDatabase<Tables>> {
    this.#opened ??= this.#ctx
      .use(SharedStore)
      .open<Tables>({ owner: 'delegation', migrations })
      .catch((error: unknown) => {
        this.#opened = undefined
        throw error
      })
    return this.#opened
  }

  async #update(
    id: string,
    epoch: number,
    change: { readonly claimed_until?: number; readonly state?: UnitRow['state']; readonly ended_at?: number },
  ): Promise<boolean> {
    const store = await this.#store()
    const { numUpdatedRows } = await store.query
      .updateTable('units')
      .set(change)
      .where('id', '=', id)
      .where('epoch', '=', epoch)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  #claimed(now: number) {
    const { host, pid, identity, token } = newHolder(this.#nonce)
    return {
      owner_host: host,
      owner_pid: pid,
      owner_identity: identity,
      owner_nonce: token,
      claimed_until: now + LEASE_MS,
    }
  }

  #isFree(row: UnitRow, now: number): boolean {
    // A lease that ends far ahead is one of a clock that was set back since.
    const until = Number(row.claimed_until)
    if (until <= now || until > now + 2 * LEASE_MS || row.owner_nonce === this.#nonce) return true
    const { owner_host: host, owner_identity: identity, owner_nonce: token } = row
    return hasEnded({ host, pid: Number(row.owner_pid), identity, token })
  }

  async #read(store: SharedDatabase<Tables>, which: (query: UnitQuery) => UnitQuery): Promise<StoredUnit[]> {
    const rows = await which(unitQuery(store)).orderBy('created_at').orderBy('id').limit(1000).execute()
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const children = await store.query.selectFrom('children').selectAll().where('unit', 'in', ids).execute()
    return rows.map((row) => ({
      unit: JSON.parse(row.unit) as Unit,
      state: row.state,
      epoch: Number(row.epoch),
      isStopped: Number(row.stopped) === 1,
      endedAt: row.ended_at === null ? undefined : Number(row.ended_at),
      children: children
        .filter(({ unit }) => unit === row.id)
        .map(({ id, place, session, result }) => ({
          id,
          index: Number(place),
          ...(session !== null && { sessionId: session }),
          ...(result !== null && { result: JSON.parse(result) as ChildResult }),
        }))
        .sort((one, other) => one.index - other.index),
    }))
  }

  async #prune(store: SharedDatabase<Tables>): Promise<void> {
    const before = this.#ctx.use(Clock).now() - KEPT_MS
    await store.transaction(async (tx) => {
      const old = tx
        .selectFrom('units')
        .select('id')
        .where('created_at', '<', before)
        .where((row) => row.or([row('state', '=', 'told'), row('mode', '=', 'inline')]))
      await tx.deleteFrom('children').where('unit', 'in', old).execute()
      await tx
        .deleteFrom('units')
        .where('created_at', '<', before)
        .where((row) => row.or([row('state', '=', 'told'), row('mode', '=', 'inline')]))
        .execute()
    })
  }
}

const unitQuery = (store: SharedDatabase<Tables>) => store.query.selectFrom('units').selectAll()
type UnitQuery = ReturnType<typeof unitQuery>
