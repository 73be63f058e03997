/** A connection to PostgreSQL that one caller has. */
import { SvcError } from 'svc/sdk'
import type { StoreConnection, StoreResult } from 'svc/sdk/store'
import type { Address } from './address.ts'
import type { PoolClient, QueryResult } from './client.ts'
import { explain, isAway } from './failures.ts'

/** The time at which a statement began: an index can be searched by it. */
export const NOW = '(extract(epoch from statement_timestamp()) * 1000)::bigint'
const LEVELS = { serializable: 'serializable', 'read-committed': 'read committed' } as const

export class PostgresConnection implements StoreConnection {
  readonly #client: PoolClient
  readonly #address: Address
  #isBroken = false

  constructor(client: PoolClient, address: Address) {
    this.#client = client
    this.#address = address
    client.on('error', this.#broke)
  }

  async run(text: string, values: readonly unknown[]): Promise<StoreResult> {
    try {
      const { rows, rowCount } = await this.#client.query(text, [...values])
      return { rows, changes: rowCount ?? 0 }
    } catch (error) {
      if (isAway(error)) this.#isBroken = true
      throw explain(error, this.#address)
    }
  }

  /** Both at once: a way to the server and back for each would be most of what a short transaction takes. */
  async begin(isolation: 'serializable' | 'read-committed'): Promise<number> {
    try {
      const text = `begin isolation level ${LEVELS[isolation]}; select ${NOW} as now`
      const results = (await this.#client.query(text)) as unknown as readonly QueryResult<{ now: number }>[]
      return Number(results[1]?.rows[0]?.now)
    } catch (error) {
      if (isAway(error)) this.#isBroken = true
      throw explain(error, this.#address)
    }
  }

  /** Whether a commit waits for the disk is decided by the settings of the server. */
  async commit(): Promise<void> {
    // Nothing was sent: the transaction is gone with its connection.
    if (this.#isBroken)
      throw explain(Object.assign(new Error('it was cut before the commit'), { code: '08003' }), this.#address)
    try {
      await this.run('commit', [])
    } catch (error) {
      if (!this.#isBroken) throw error
      throw new SvcError(
        'STORAGE_UNAVAILABLE',
        'The connection to the database server was cut during a commit: it may have been stored, or not. Look before you repeat it.',
        { status: 503 },
      )
    }
  }

  async rollBack(): Promise<void> {
    await this.run('rollback', [])
  }

  giveBack(isBroken = false): void {
    this.#client.off('error', this.#broke)
    this.#client.release(isBroken || this.#isBroken)
  }

  /** Between two statements of a caller: the next one fails. */
  readonly #broke = () => {
    this.#isBroken = true
  }
}
