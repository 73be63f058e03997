/** The rows, scopes and processes at the server. Every method is one transaction; those that write wait for each other. */
import { isRunning, type ProcessMark } from 'svc/sdk/kit/process'
import type { SharedDatabase, StoreTransaction } from 'svc/sdk/store'
import type { LocalChange, RemoteRow } from './local-copy.ts'
import type { Tables } from './schema.ts'
import { OWN } from './table-sql.ts'

/** This process, as others know it. */
export interface OwnProcess extends ProcessMark {
  /** Of this process only. */
  readonly runner: string
  /** Of this home on this machine. */
  readonly node: string
  /** For people. */
  readonly holder: string
}

/** A change with its row. */
export interface ShippedChange extends LocalChange {
  readonly set: string
  readonly data: string | null
  readonly parent: string | null
}

/**
 * What came of a change. `written`: it is at the server. `exists`: the server has another row, which counts. `left`: another
 * process of this home sends it. `held`: another one writes in this scope. `lost`: this process did, and does not any more.
 * `behind`: others wrote in this scope what is not here yet.
 */
export type ShipOutcome = 'written' | 'exists' | 'left' | 'held' | 'lost' | 'behind'

/** A row that comes in. */
export interface ForeignRow extends RemoteRow {
  /** What was changed here in the same scope, and is not at the server, was overtaken. */
  readonly overtakes: boolean
}

/** Who has a scope. */
interface ScopeOwner {
  readonly scope: string
  readonly runner: string
  readonly node: string
  readonly holder: string
  readonly epoch: number
}

/** The channel on which it is told that rows were written. */
export const CHANGES = 'rows'
/** Rows of one statement: each has nine values, of which PostgreSQL takes 65,535 and SQLite 32,766. */
const ROWS_AT_ONCE = 500
const KEYS_AT_ONCE = 500
const COMMITTED = { isolation: 'read-committed' } as const

type Tx = StoreTransaction<Tables>

export class RowServer {
  readonly #database: SharedDatabase<Tables>
  readonly #own: OwnProcess
  readonly #ttlMs: number

  constructor(database: SharedDatabase<Tables>, own: OwnProcess, ttlMs: number) {
    this.#database = database
    this.#own = own
    this.#ttlMs = ttlMs
  }

  async store(): Promise<string> {
    const { store } = await this.#database.query.selectFrom('shared_meta').select('store').executeTakeFirstOrThrow()
    return store
  }

  /** Says that this process lives; others take its scopes when it has not for the time of a lease. */
  async renew(): Promise<void> {
    const { runner, node, holder, pid, identity } = this.#own
    const expires_at = (await this.#database.now()) + this.#ttlMs
    await this.#database.query
      .insertInto('shared_processes')
      .values({ runner, node, holder, pid, identity, expires_at })
      .onConflict((conflict) => conflict.column('runner').doUpdateSet({ expires_at }))
      .execute()
  }

  /** Forgets processes that ended long ago. */
  async tidy(): Promise<void> {
    const before = (await this.#database.now()) - 100 * this.#ttlMs
    await this.#database.query.deleteFrom('shared_processes').where('expires_at', '<', before).execute()
  }

  /** Whether this is the only process of its home that takes part. */
  async isAlone(): Promise<boolean> {
    const now = await this.#database.now()
    const others = await this.#database.query
      .selectFrom('shared_processes')
      .selectAll()
      .where('node', '=', this.#own.node)
      .where('runner', '<>', this.#own.runner)
      .execute()
    return !others.some((other) => this.#lives(other, now))
  }

  /** Takes a scope. Returns its epoch, or the name of who has it. */
  async take(scope: string): Promise<{ readonly epoch: number } | { readonly holder: string }> {
    return this.#database.transaction(async (tx, now) => {
      await this.#enter(tx, 0)
      const [owner] = await this.#owners(tx, [scope], now)
      if (owner && owner.runner !== this.#own.runner) return { holder: owner.holder }
      const { epoch } = await tx
        .insertInto('shared_scopes')
        .values({ scope, runner: this.#own.runner, epoch: 1 })
        .onConflict((conflict) =>
          conflict.column('scope').doUpdateSet((each) => ({
            runner: this.#own.runner,
            epoch: each('shared_scopes.epoch', '+', 1),
          })),
        )
        .returning('epoch')
        .executeTakeFirstOrThrow()
      return { epoch: Number(epoch) }
    }, COMMITTED)
  }

  /** Gives scopes back; those that others have by now stay with them. */
  async release(scopes: readonly string[]): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await tx
        .updateTable('shared_scopes')
        .set({ runner: null })
        .where('scope', 'in', [...scopes])
        .where('runner', '=', this.#own.runner)
        .execute()
      await this.#database.notify(CHANGES, '', tx)
    }, COMMITTED)
  }

  async leave(): Promise<void> {
    const { runner } = this.#own
    await this.#database.query.updateTable('shared_scopes').set({ runner: null }).where('runner', '=', runner).execute()
    await this.#database.query.deleteFrom('shared_processes').where('runner', '=', runner).execute()
    await this.#database.notify(CHANGES, '')
  }

  /**
   * Writes rows, all in one transaction. `epochs`: those of the scopes that this process has; `versions`: up to where each set is
   * here. It may be called again with the same changes when it is not known what came of it.
   */
  async ship(
    changes: readonly ShippedChange[],
    { epochs, versions }: { epochs: ReadonlyMap<string, number>; versions: ReadonlyMap<string, number> },
  ): Promise<readonly ShipOutcome[]> {
    return this.#database.transaction(async (tx, now) => {
      const last = await this.#enter(tx, changes.length)
      const scopes = [...new Set(changes.map(({ scope }) => scope))]
      const owners = new Map((await this.#owners(tx, scopes, now)).map((owner) => [owner.scope, owner]))
      const behind = await this.#behind(
        tx,
        changes.filter(({ scope }) => !owners.has(scope)),
        versions,
      )
      const judged = changes.map((change) => this.#judge(change, { owner: owners.get(change.scope), epochs, behind }))
      const added = changes.filter((change, at) => judged[at] === 'written' && change.state !== OWN)
      const there = await this.#existing(tx, added)
      const outcomes = judged.map((outcome, at): ShipOutcome => {
        return outcome === 'written' && there.has(getName(changes[at] as ShippedChange)) ? 'exists' : outcome
      })
      const first = last - changes.length + 1
      const written = changes
        .map((change, at) => ({ change, version: first + at }))
        .filter((_, at) => outcomes[at] === 'written')
      await this.#write(tx, written, owners)
      if (written.length > 0) await this.#database.notify(CHANGES, this.#own.runner, tx)
      return outcomes
    }, COMMITTED)
  }

  /** Up to where there are rows. */
  async head(): Promise<number> {
    const { version } = await this.#database.query.selectFrom('shared_meta').select('version').executeTakeFirstOrThrow()
    return Number(version)
  }

  /** Rows of a set in the order of their versions, those that this home has written only with `own`. */
  async rows(
    set: string,
    { after, upTo, limit, own }: { after: number; upTo: number; limit: number; own: boolean },
  ): Promise<readonly ForeignRow[]> {
    let query = this.#database.query
      .selectFrom('shared_rows')
      .select(['tbl', 'row_key', 'scope', 'version', 'data', 'proposed', 'node'])
      .where('set_name', '=', set)
      .where('version', '>', after)
      .where('version', '<=', upTo)
    if (!own) query = query.where('node', '<>', this.#own.node)
    const found = await query.orderBy('version').limit(limit).execute()
    return found.map((row) => ({ ...toRemote(row), overtakes: row.proposed === 0 && row.node !== this.#own.node }))
  }

  /** Some rows, as they are now. */
  async find(
    set: string,
    keys: readonly { readonly table: string; readonly key: string }[],
  ): Promise<readonly RemoteRow[]> {
    const found: RemoteRow[] = []
    for (const [table, all] of groupBy(keys)) {
      for (let at = 0; at < all.length; at += KEYS_AT_ONCE) {
        const rows = await this.#database.query
          .selectFrom('shared_rows')
          .select(['tbl', 'row_key', 'scope', 'version', 'data'])
          .where('set_name', '=', set)
          .where('tbl', '=', table)
          .where('row_key', 'in', all.slice(at, at + KEYS_AT_ONCE))
          .execute()
        found.push(...rows.map(toRemote))
      }
    }
    return found
  }

  /** Waits for all others who write, and returns the last of as many versions. */
  async #enter(tx: Tx, count: number): Promise<number> {
    const { version } = await tx
      .updateTable('shared_meta')
      .set((each) => ({ version: each('version', '+', count) }))
      .where('one', '=', 1)
      .returning('version')
      .executeTakeFirstOrThrow()
    return Number(version)
  }

  /** Those who live. */
  async #owners(tx: Tx, scopes: readonly string[], now: number): Promise<readonly ScopeOwner[]> {
    const found = await tx
      .selectFrom('shared_scopes as s')
      .innerJoin('shared_processes as p', 'p.runner', 's.runner')
      .select(['s.scope', 's.epoch', 'p.runner', 'p.node', 'p.holder', 'p.pid', 'p.identity', 'p.expires_at'])
      .where('s.scope', 'in', [...scopes])
      .execute()
    return found.filter((owner) => this.#lives(owner, now)).map((owner) => ({ ...owner, epoch: Number(owner.epoch) }))
  }

  #lives(
    other: { runner: string; node: string; pid: number; identity: string; expires_at: number },
    now: number,
  ): boolean {
    if (other.runner === this.#own.runner) return true
    if (Number(other.expires_at) <= now) return false
    // Of this home on this machine: it is known at once that it has died.
    return other.node !== this.#own.node || isRunning(other)
  }

  /** Free scopes in which others wrote what is not here yet. */
  async #behind(
    tx: Tx,
    changes: readonly ShippedChange[],
    versions: ReadonlyMap<string, number>,
  ): Promise<Set<string>> {
    const behind = new Set<string>()
    for (const [set, scopes] of groupBy(changes.map(({ set, scope }) => ({ table: set, key: scope })))) {
      for (let at = 0; at < scopes.length; at += KEYS_AT_ONCE) {
        const rows = await tx
          .selectFrom('shared_rows')
          .select('scope')
          .distinct()
          .where('scope', 'in', scopes.slice(at, at + KEYS_AT_ONCE))
          .where('version', '>', versions.get(set) ?? 0)
          .where('node', '<>', this.#own.node)
          .where('proposed', '=', 0)
          .execute()
        for (const { scope } of rows) behind.add(scope)
      }
    }
    return behind
  }

  #judge(
    { scope, state }: ShippedChange,
    {
      owner,
      epochs,
      behind,
    }: { owner: ScopeOwner | undefined; epochs: ReadonlyMap<string, number>; behind: ReadonlySet<string> },
  ): ShipOutcome {
    const epoch = epochs.get(scope)
    if (epoch !== undefined && (owner?.runner !== this.#own.runner || owner.epoch !== epoch)) return 'lost'
    if (epoch !== undefined || state !== OWN) return 'written'
    if (owner && owner.node === this.#own.node) return owner.runner === this.#own.runner ? 'written' : 'left'
    if (owner) return 'held'
    return behind.has(scope) ? 'behind' : 'written'
  }

  /** Rows that are there already. */
  async #existing(tx: Tx, changes: readonly ShippedChange[]): Promise<Set<string>> {
    const there = new Set<string>()
    for (const [name, keys] of groupBy(changes.map(({ set, table, key }) => ({ table: `${set} ${table}`, key })))) {
      const [set = '', table = ''] = name.split(' ')
      for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
        const rows = await tx
          .selectFrom('shared_rows')
          .select('row_key')
          .where('set_name', '=', set)
          .where('tbl', '=', table)
          .where('row_key', 'in', keys.slice(at, at + KEYS_AT_ONCE))
          .execute()
        for (const { row_key: key } of rows) there.add(getName({ set, table, key }))
      }
    }
    return there
  }

  async #write(
    tx: Tx,
    written: readonly { readonly change: ShippedChange; readonly version: number }[],
    owners: ReadonlyMap<string, ScopeOwner>,
  ): Promise<void> {
    for (let at = 0; at < written.length; at += ROWS_AT_ONCE) {
      const values = written.slice(at, at + ROWS_AT_ONCE).map(({ change, version }) => ({
        set_name: change.set,
        tbl: change.table,
        row_key: change.key,
        scope: change.scope,
        parent: change.parent,
        data: change.data,
        version,
        node: this.#own.node,
        proposed: change.state !== OWN && owners.get(change.scope)?.runner !== this.#own.runner ? 1 : 0,
      }))
      await tx
        .insertInto('shared_rows')
        .values(values)
        .onConflict((conflict) =>
          conflict.columns(['set_name', 'tbl', 'row_key']).doUpdateSet((each) => ({
            scope: each.ref('excluded.scope'),
            parent: each.ref('excluded.parent'),
            data: each.ref('excluded.data'),
            version: each.ref('excluded.version'),
            node: each.ref('excluded.node'),
            proposed: each.ref('excluded.proposed'),
          })),
        )
        .execute()
    }
    for (const { change } of written) {
      if (change.data !== null) continue
      const parent = `${change.table} ${change.key}`
      await tx.deleteFrom('shared_rows').where('set_name', '=', change.set).where('parent', '=', parent).execute()
    }
  }
}

function getName({ set, table, key }: { readonly set: string; readonly table: string; readonly key: string }): string {
  return `${set} ${table} ${key}`
}

function toRemote(row: {
  tbl: string
  row_key: string
  scope: string
  version: number
  data: string | null
}): RemoteRow {
  return { table: row.tbl, key: row.row_key, scope: row.scope, version: Number(row.version), data: row.data }
}

/** Keys by table, each once. */
function groupBy(keys: readonly { readonly table: string; readonly key: string }[]): Map<string, string[]> {
  const groups = new Map<string, Set<string>>()
  for (const { table, key } of keys) groups.set(table, (groups.get(table) ?? new Set()).add(key))
  return new Map([...groups].map(([table, all]) => [table, [...all]]))
}
