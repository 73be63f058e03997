/**
 * A process that works on a store until it is killed or there is nothing left: `child.ts FOLDER URL PREFIX work|hold`. `work`
 * takes items of a queue and notes each in a table in the transaction that finishes them; `hold` takes a lock and prints its token.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { type Clock, errorCode, type Random } from 'svc/sdk'
import type { QueueItem, SharedDatabase, StoreEngine, StoreQueue } from 'svc/sdk/store'
import { OpenStores, type StoreDeps } from '../../../plugins/sessions/shared-store/store.ts'
import { SqliteStorage } from '../../../plugins/sessions/storage/storage.ts'
import { parseAddress } from '../../../plugins/sessions/storage-postgres/address.ts'
import { PostgresServer } from '../../../plugins/sessions/storage-postgres/server.ts'
import { type DoneTables, migrations, QUEUE } from './done-tables.ts'

const [folder = '', url = '', prefix = '', task] = process.argv.slice(2)
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
const random: Random = { next: Math.random, hex: (bytes) => randomBytes(bytes).toString('hex'), uuid: randomUUID }
const complain = (message: string) => void writeSync(2, `${message}\n`)
const log = { debug: () => {}, info: () => {}, warn: complain, error: complain }
const services: Readonly<Record<string, unknown>> = {
  clock,
  random,
  storage: new SqliteStorage({ clock, random, log }),
  secrets: { get: () => url || undefined },
}
const engine: StoreEngine = {
  name: 'postgres',
  schemes: ['postgres'],
  open: (options) => new PostgresServer({ ...options, address: parseAddress(options.url), clock, log }),
}
const stores = new OpenStores({
  use: ((token: { id: string }) => services[token.id]) as StoreDeps['use'],
  all: (() => ({ all: () => [engine] })) as unknown as StoreDeps['all'],
  config: { url: '', prefix, connections: 3, timeout_seconds: 30 },
  dataDir: folder,
})

/** Notes and finishes all of them in one transaction. */
async function finish(
  store: SharedDatabase<DoneTables>,
  queue: StoreQueue<number>,
  items: readonly QueueItem<number>[],
): Promise<void> {
  await store.transaction(async (tx) => {
    for (const item of items) await queue.ack(item, tx)
    const notes = items.map(({ payload }) => ({ n: payload, pid: process.pid }))
    await tx.insertInto('done').values(notes).execute()
  })
}

/** It was too slow, and another has the items. */
function whenLost(error: unknown): void {
  if (errorCode(error) !== 'STORAGE_LEASE_LOST') throw error
}

async function work(store: SharedDatabase<DoneTables>): Promise<void> {
  const queue = store.queue<number>(QUEUE)
  let done = 0
  for (;;) {
    const items = await queue.claim({ limit: 5, leaseMs: 1500, holder: String(process.pid) })
    if (items.length > 0) await finish(store, queue, items).then(() => (done += items.length), whenLost)
    if (done > 20) writeSync(1, 'under way\n')
    if (items.length > 0) continue
    const { due, claimed } = await queue.counts()
    if (due + claimed === 0) return
    await clock.sleep(50)
  }
}

const store = await stores.open<DoneTables>({ owner: 'board', migrations })
if (task === 'hold') {
  const lease = await store.locks.take('account', { ttlMs: 1000, holder: String(process.pid) })
  writeSync(1, `${lease?.token}\n`)
  await new Promise((resolve) => setTimeout(resolve, 60_000))
} else {
  await work(store)
  await stores.close()
}
