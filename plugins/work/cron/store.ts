/** The tables of jobs and runs, opened when something first asks for them. */
import type { PluginContext } from 'svc/sdk'
import { type SharedDatabase, SharedStore } from 'svc/sdk/store'
import { type CronTables, migrations } from './migrations.ts'

export type Database = SharedDatabase<CronTables>

/** The channel on which every change of jobs and runs is told. */
export const CHANGES = 'changes'

export class CronStore {
  readonly #ctx: Pick<PluginContext<unknown>, 'use'>
  #opened: Promise<Database> | undefined

  constructor(ctx: Pick<PluginContext<unknown>, 'use'>) {
    this.#ctx = ctx
  }

  /** Opens them once. A failure is not kept: the next call tries again. */
  open(): Promise<Database> {
    if (this.#opened) return this.#opened
    const opened = this.#ctx.use(SharedStore).open<CronTables>({ owner: 'cron', migrations })
    this.#opened = opened
    const forget = () => {
      if (this.#opened === opened) this.#opened = undefined
    }
    opened.catch(forget)
    return opened
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    const database = await opened?.catch(() => undefined)
    await database?.close()
  }
}
