/** The contract of the store, at a real server, and what only a server can do. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Caches } from 'svc/sdk/storage'
import { type Lease, SharedStore } from 'svc/sdk/store'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { missingPostgres, Postgres } from '../../../support/postgres.ts'
import { storeContract } from '../../../support/store/contract.ts'
import { storeProcesses } from '../../../support/store/processes.ts'

const missing = missingPostgres()
let server: Postgres
let count = 0

beforeAll(async () => {
  if (missing === undefined) server = await Postgres.start()
})
afterAll(() => server?.stop())

/** A process with the store at the server, in tables that no other test has. */
function stage(more: Parameters<typeof testKernel>[0] = {}): () => Promise<TestKernel> {
  const prefix = `t${++count}`
  return async () => {
    const kernel = await testKernel({
      plugins: ['shared-store'],
      env: { SVC_STORAGE_URL: server.url },
      ...more,
      config: { storage: { prefix, timeout_seconds: 20 }, ...more.config },
    })
    onTestFinished(() => kernel.stop())
    return kernel
  }
}

const open = (kernel: TestKernel) =>
  kernel.use(SharedStore).open<{ notes: { id: string } }>({
    owner: 'board',
    migrations: [
      async ({ db }) => {
        await db.schema.createTable('notes').addColumn('id', 'text').execute()
      },
    ],
  })

describe.skipIf(missing !== undefined)(`PostgreSQL${missing ? ` (${missing})` : ''}`, () => {
  storeContract('PostgreSQL', () => stage())
  storeProcesses('PostgreSQL', async () => {
    const kernel = await stage()()
    return { kernel, folder: kernel.home, url: server.url, prefix: `t${count}` }
  })

  test('a transaction under way is run again after the server was restarted, and notices arrive again', async () => {
    const start = stage()
    const [one, other] = [await open(await start()), await open(await start())]
    const seen: (string | undefined)[] = []
    using _listening = other.listen('notes', (notice) => seen.push(notice))
    await vi.waitFor(() => expect(seen).toEqual([undefined]))
    let attempts = 0
    await one.transaction(async (tx) => {
      await tx.insertInto('notes').values({ id: 'a' }).execute()
      if (++attempts > 1) return
      await server.kill()
      void server.run()
    })
    expect(attempts).toBeGreaterThan(1)
    expect(await one.query.selectFrom('notes').selectAll().execute()).toEqual([{ id: 'a' }])
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(1))
    await one.notify('notes', 'a')
    await vi.waitFor(() => expect(seen.at(-1)).toBe('a'))
  })

  test('connections that are cut again and again lose nothing and double nothing', async () => {
    const store = await open(await stage()())
    const queue = store.queue<number>('work')
    const cutting = (async () => {
      for (let i = 0; i < 5; i++) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        await server.cutConnections()
      }
    })()
    let unknown = 0
    for (let n = 0; n < 40; n++) {
      // The key makes it safe to ask again where the answer of a commit was lost.
      const put = () => store.transaction((tx) => queue.enqueue(n, { key: `n${n}` }, tx))
      await put().catch(async (error) => {
        expect(error).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
        unknown++
        await put()
      })
    }
    await cutting
    expect(unknown).toBeLessThan(10)
    const items = await queue.claim({ limit: 100, leaseMs: 60_000, holder: 'one' })
    expect(items.map(({ payload }) => payload)).toEqual(Array.from({ length: 40 }, (_, n) => n))
  })

  test('the clock of the server decides leases: that of a machine may jump by hours', async () => {
    const clock = virtualClock()
    const start = stage({ clock })
    const [one, other] = [await open(await start()), await open(await start())]
    const lease = (await one.locks.take('account', { ttlMs: 3_600_000, holder: 'one', renews: false })) as Lease
    const later = await one.now()
    await clock.advance(2 * 3_600_000)
    expect(await other.locks.take('account', { ttlMs: 1000, holder: 'two' })).toBeUndefined()
    expect((await other.now()) - later).toBeLessThan(3_600_000)
    await lease.release()
  })

  test('a server that takes no changes, a wrong password and no server are told apart, without the password', async () => {
    const kernel = await stage()()
    const store = await open(kernel)
    await server.query('alter system set default_transaction_read_only = on')
    await server.query('select pg_reload_conf()')
    try {
      await vi.waitFor(() =>
        expect(store.query.insertInto('notes').values({ id: 'a' }).execute()).rejects.toMatchObject({
          code: 'STORAGE_READ_ONLY',
        }),
      )
    } finally {
      await server
        .query('begin; set transaction read write; alter system reset default_transaction_read_only')
        .catch(() => {})
      await server.query('alter system reset default_transaction_read_only')
      await server.query('select pg_reload_conf()')
    }
    const failing = async (url: string) => {
      const wrong = await stage({ env: { SVC_STORAGE_URL: url }, config: { storage: { timeout_seconds: 1 } } })()
      const error = await open(wrong).then(
        () => undefined,
        (reason: Error & { code: string }) => reason,
      )
      const texts = [error?.message, error?.stack, JSON.stringify(error), String((error?.cause as Error)?.stack)]
      expect(texts.filter((text) => text?.includes('secret-word'))).toEqual([])
      return `${error?.code}: ${error?.message}`
    }
    const at = `127.0.0.1:${server.port}`
    expect(await failing(`postgres://svc:secret-word@${at}/postgres`)).toMatch(
      /^STORAGE_UNAVAILABLE: .*refuses the user/,
    )
    expect(await failing(`postgres://svc:secret-word@127.0.0.1:1/postgres`)).toMatch(/^STORAGE_UNAVAILABLE: .*reached/)
    expect(await failing(`postgres://svc:secret-word@${at}/postgres?sslmode=require`)).toMatch(
      /^STORAGE_UNAVAILABLE: .*encrypted/,
    )
    expect(await failing(`mysql://svc:secret-word@${at}/postgres`)).toMatch(/^STORAGE_ENGINE_UNKNOWN: .*postgres/)
  })

  test('a statement that takes too long is ended', async () => {
    const store = await open(await stage({ config: { storage: { prefix: 'slow', timeout_seconds: 1 } } })())
    const slow = store.sql`select pg_sleep(10)`.execute(store.query)
    await expect(slow).rejects.toMatchObject({ code: 'STORAGE_TIMEOUT' })
  })

  test('caches are kept there too, by each machine for the others, until they are too old', async () => {
    const config = { storage: { prefix: `t${++count}` } }
    const options = {
      name: 'capitals',
      ttlMs: 500,
      isValue: (value: unknown): value is string => typeof value === 'string',
    }
    const start = stage({ plugins: ['caches', 'shared-store'], config })
    const [first, second] = [await start(), await start()]
    const [one, other] = [first.use(Caches).open(options), second.use(Caches).open(options)]
    await one.set('Peru', 'Lima')
    expect([other.peek('Peru'), await other.get('Peru'), other.peek('Peru')]).toEqual([undefined, 'Lima', 'Lima'])
    await other.delete('Peru')
    expect(await one.get('Peru')).toBeUndefined()
    await one.set('Chile', 'Santiago')
    await vi.waitFor(async () => expect(await other.get('Chile')).toBeUndefined(), { timeout: 5000 })
    await one.set('Cuba', 'Havana')
    const kept = await server.query(`select key from ${config.storage.prefix}_caches.values`)
    expect(kept).toEqual([{ key: expect.stringContaining('Cuba') }])
    expect(existsSync(join(first.home, 'cache', 'capitals.json'))).toBe(false)
  })
})
