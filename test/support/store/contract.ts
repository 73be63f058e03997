/** What every engine of the shared store keeps. Its processes are kernels of their own on the same tables. */
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { type Lease, MAX_NOTICE_BYTES, SharedStore, type StoreMigration } from 'svc/sdk/store'
import type { TestKernel } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { followModel } from './queue-model.ts'

/** Starts a process on tables that all processes of this test share. They end with the test. */
export type StartProcess = () => Promise<TestKernel>

interface Tables {
  notes: { id: string; text: string; n: number }
}

const migrations: StoreMigration[] = [
  async ({ db }) => {
    await db.schema
      .createTable('notes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('n', 'bigint', (column) => column.notNull())
      .execute()
  },
]

async function open(kernel: TestKernel, owner = 'board') {
  return kernel.use(SharedStore).open<Tables>({ owner, migrations })
}

/** `stage` makes tables that no other test has. */
export function storeContract(engine: string, stage: () => StartProcess): void {
  describe(`the store in ${engine}`, () => {
    /** Two processes with the same tables. */
    const two = async () => {
      const start = stage()
      const kernels = [await start(), await start()] as const
      return { kernels, one: await open(kernels[0]), other: await open(kernels[1]) }
    }

    test('what one process commits another one reads, typed; what is taken back is not there', async () => {
      const { one, other } = await two()
      await one.transaction(async (tx) => {
        await tx
          .insertInto('notes')
          .values({ id: 'a', text: 'first', n: 2 ** 52 })
          .execute()
      })
      const failing = one.transaction(async (tx) => {
        await tx.updateTable('notes').set({ text: 'changed' }).execute()
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect(await other.query.selectFrom('notes').selectAll().execute()).toEqual([
        { id: 'a', text: 'first', n: 2 ** 52 },
      ])
      const { rows } = await other.sql<{ n: number }>`select count(*) as n from notes`.execute(other.query)
      expect(rows).toEqual([{ n: 1 }])
    })

    test('increments of two processes at once are all there', async () => {
      const { one, other } = await two()
      await one.query.insertInto('notes').values({ id: 'sum', text: '', n: 0 }).execute()
      const add = (store: typeof one) =>
        store.transaction(async (tx) => {
          const { n } = await tx.selectFrom('notes').select('n').where('id', '=', 'sum').executeTakeFirstOrThrow()
          await tx
            .updateTable('notes')
            .set({ n: n + 1 })
            .where('id', '=', 'sum')
            .execute()
        })
      await Promise.all(
        [one, other, one, other].map(async (store) => {
          for (let i = 0; i < 5; i++) await add(store)
        }),
      )
      expect(await one.query.selectFrom('notes').select('n').execute()).toEqual([{ n: 20 }])
    })

    test('a second row with the same key is refused by a code', async () => {
      const { one } = await two()
      const insert = () => one.query.insertInto('notes').values({ id: 'a', text: '', n: 0 }).execute()
      await insert()
      await expect(insert()).rejects.toMatchObject({ code: 'STORAGE_CONFLICT' })
    })

    test('a transaction in another, and a statement beside it, are refused instead of waiting for themselves', async () => {
      const { one } = await two()
      const nested = one.transaction(() => one.transaction(async () => {}))
      await expect(nested).rejects.toMatchObject({ code: 'STORAGE_NESTED' })
      const beside = one.transaction(() => one.query.selectFrom('notes').selectAll().execute())
      await expect(beside).rejects.toMatchObject({ code: 'STORAGE_NESTED' })
      const late = await one.transaction(async (tx) => tx)
      await expect(late.selectFrom('notes').selectAll().execute()).rejects.toMatchObject({ code: 'STORAGE_CLOSED' })
    })

    test('owners do not see tables of each other, and names that could be something else are refused', async () => {
      const { kernels, one } = await two()
      const strange = await kernels[0].use(SharedStore).open({ owner: 'other', migrations: [] })
      await expect(strange.sql`select * from notes`.execute(strange.query)).rejects.toThrow(/notes/)
      for (const owner of ['', 'Board', '../board', 'a"b', 'x'.repeat(41)])
        await expect(open(kernels[0], owner)).rejects.toMatchObject({ code: 'STORAGE_NAME_INVALID' })
      expect(() => one.queue('No Name')).toThrow(/name of a queue/)
    })

    test('steps run once among processes that open at once, a broken one is taken back, and a newer schema is refused', async () => {
      const start = stage()
      const kernels = [await start(), await start()] as const
      let ran = 0
      const counted: StoreMigration[] = [
        async (tools) => {
          ran++
          await migrations[0]?.(tools)
        },
      ]
      await Promise.all(kernels.map((kernel) => kernel.use(SharedStore).open({ owner: 'board', migrations: counted })))
      expect(ran).toBe(1)
      const broken: StoreMigration = async ({ db, sql }) => {
        await db.schema.createTable('half').addColumn('id', 'text').execute()
        await sql`select * from nothing_of_this_name`.execute(db)
      }
      const reopen = (steps: StoreMigration[]) =>
        kernels[0].use(SharedStore).open({ owner: 'board', migrations: steps })
      await expect(reopen([...counted, broken])).rejects.toMatchObject({ code: 'STORAGE_MIGRATION_FAILED' })
      const repaired = await reopen([
        ...counted,
        async ({ db, bytes, sql }) => {
          await db.schema.createTable('half').addColumn('id', 'text').addColumn('raw', sql.raw(bytes)).execute()
        },
      ])
      await repaired.sql`insert into half (id, raw) values (${'a'}, ${Buffer.from([0, 255])})`.execute(repaired.query)
      const { rows } = await repaired.sql<{ raw: Buffer }>`select raw from half`.execute(repaired.query)
      expect([...(rows[0]?.raw ?? [])]).toEqual([0, 255])
      await expect(reopen(counted)).rejects.toMatchObject({ code: 'STORAGE_TOO_NEW' })
    })

    test('a lock has one holder; its token grows; who lost it cannot write with it', async () => {
      const { one, other } = await two()
      const options = { ttlMs: 60_000, holder: 'one' }
      const first = (await one.locks.take('account', options)) as Lease
      expect(await other.locks.take('account', { ...options, holder: 'two' })).toBeUndefined()
      expect(await other.locks.holder('account')).toMatchObject({ holder: 'one', token: first.token })
      const write = (store: typeof one, lease: Lease, id: string) =>
        store.transaction(async (tx) => {
          await store.locks.fence(tx, lease)
          await tx.insertInto('notes').values({ id, text: '', n: 0 }).execute()
        })
      await write(one, first, 'a')
      await first.release()
      await expect(write(one, first, 'b')).rejects.toMatchObject({ code: 'STORAGE_FENCED' })
      const second = (await other.locks.take('account', options)) as Lease
      expect(second.token).toBeGreaterThan(first.token)
      await expect(write(one, first, 'c')).rejects.toMatchObject({ code: 'STORAGE_FENCED' })
      await write(other, second, 'd')
      const ids = await one.query.selectFrom('notes').select('id').orderBy('id').execute()
      expect(ids).toEqual([{ id: 'a' }, { id: 'd' }])
      await second.release()
    })

    test('a lease of a holder that is known to have ended is taken over before its time, and of no other', async () => {
      const { one, other } = await two()
      const options = { ttlMs: 60_000, holder: 'one' }
      const first = (await one.locks.take('account', options)) as Lease
      expect(await other.locks.take('account', { ...options, after: first.token - 1 })).toBeUndefined()
      const second = (await other.locks.take('account', { ...options, holder: 'two', after: first.token })) as Lease
      expect(second.token).toBeGreaterThan(first.token)
      expect(await first.renew()).toBe(false)
      expect(await one.locks.take('account', { ...options, after: first.token })).toBeUndefined()
      await second.release()
    })

    test('a lease that is not renewed ends and is taken over, and its holder is told; one that is renewed stays', async () => {
      const { one, other } = await two()
      const kept = (await one.locks.take('kept', { ttlMs: 300, holder: 'one' })) as Lease
      const left = (await one.locks.take('left', { ttlMs: 300, holder: 'one', renews: false })) as Lease
      const taken = await vi.waitFor(async () => {
        const lease = await other.locks.take('left', { ttlMs: 60_000, holder: 'two' })
        expect(lease).toBeDefined()
        return lease as Lease
      })
      expect(taken.token).toBe(left.token + 1)
      expect(await left.renew()).toBe(false)
      expect(left.signal.aborted).toBe(true)
      expect(await other.locks.take('kept', { ttlMs: 300, holder: 'two' })).toBeUndefined()
      expect([kept.signal.aborted, await kept.renew()]).toEqual([false, true])
    })

    test('an item is there with its transaction, once for its key, and not before it is due', async () => {
      const { one, other } = await two()
      const queue = one.queue<{ n: number }>('mail')
      const lost = one.transaction(async (tx) => {
        await queue.enqueue({ n: 0 }, {}, tx)
        throw new Error('no')
      })
      await expect(lost).rejects.toThrow('no')
      const first = await one.transaction((tx) => queue.enqueue({ n: 1 }, { key: 'k' }, tx))
      expect(await other.queue('mail').enqueue({ n: 2 }, { key: 'k' })).toEqual({ id: first.id, isNew: false })
      const later = await queue.enqueue({ n: 3 }, { delayMs: 60_000 })
      const [item, ...rest] = await queue.claim({ limit: 5, leaseMs: 60_000, holder: 'one' })
      expect([item, rest]).toMatchObject([{ id: first.id, key: 'k', payload: { n: 1 }, epoch: 1 }, []])
      expect(await queue.counts()).toEqual({ due: 0, waiting: 1, claimed: 1, dead: 0 })
      const { id, epoch } = item as NonNullable<typeof item>
      await one.transaction((tx) => queue.ack({ id, epoch }, tx))
      expect((await queue.enqueue({ n: 4 }, { key: 'k' })).isNew).toBe(false)
      expect((await queue.nextDueAt()) ?? 0).toBeGreaterThan(await one.now())
      expect([await queue.cancel(later.id), await queue.cancel(later.id)]).toEqual([true, false])
      expect(await queue.nextDueAt()).toBeUndefined()
    })

    test('an item whose holder is gone is claimed by another, and the first can neither finish nor fail it', async () => {
      const { one, other } = await two()
      const queue = one.queue<string>('mail', { maxAttempts: 2 })
      await queue.enqueue('letter')
      const [early] = await queue.claim({ limit: 1, leaseMs: 100, holder: 'one' })
      const late = await vi.waitFor(async () => {
        const [item] = await other
          .queue<string>('mail', { maxAttempts: 2 })
          .claim({ limit: 1, leaseMs: 100, holder: 'two' })
        return item ?? Promise.reject(new Error('not yet'))
      })
      expect([early?.epoch, late.epoch]).toEqual([1, 2])
      for (const attempt of [() => queue.ack(early ?? late), () => queue.fail(early ?? late, { error: 'x' })])
        await expect(attempt()).rejects.toMatchObject({ code: 'STORAGE_LEASE_LOST' })
      expect(await queue.renew(early ?? late, 1000)).toBe(false)
      await queue.fail(late, { error: 'it broke' })
      expect(await queue.dead(5)).toMatchObject([{ payload: 'letter', error: 'it broke' }])
      expect([await queue.revive(late.id), await queue.revive(late.id)]).toEqual([true, false])
      const [again] = await queue.claim({ limit: 1, leaseMs: 60_000, holder: 'one' })
      expect(again).toMatchObject({ payload: 'letter', epoch: 1 })
    })

    test('claims of two processes share the items without one being claimed twice, in the order in which they are due', async () => {
      const { one, other } = await two()
      const queue = one.queue<number>('work')
      await one.transaction(async (tx) => {
        for (let n = 0; n < 60; n++) await queue.enqueue(n, {}, tx)
      })
      const seen: number[][] = [[], []]
      await Promise.all(
        [one, other].map(async (store, at) => {
          const mine = store.queue<number>('work')
          for (;;) {
            const items = await mine.claim({ limit: 3, leaseMs: 60_000, holder: `${at}` })
            if (items.length === 0) return
            for (const item of items) {
              seen[at]?.push(item.payload)
              await mine.ack(item)
            }
          }
        }),
      )
      expect(seen.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n))
      for (const list of seen) expect(list).toEqual([...list].sort((a, b) => a - b))
    })

    test('whatever is done with a queue, it is as a list of items would be', async () => {
      const { one } = await two()
      let run = 0
      await fc.assert(
        fc.asyncProperty(followModel.commands(), (commands) => followModel.run(one, `queue-${++run}`, commands)),
        { numRuns: engine === 'SQLite' ? 25 : 10 },
      )
    })

    test('a notice arrives in other processes and in its own, with the commit and not without it', async () => {
      const { one, other } = await two()
      const seen: unknown[] = []
      using _here = one.listen('tasks', (notice) => seen.push(['one', notice]))
      using _there = other.listen('tasks', (notice) => seen.push(['two', notice]))
      using _elsewhere = other.listen('others', (notice) => notice !== undefined && seen.push(['wrong', notice]))
      await vi.waitFor(async () => {
        await one.notify('tasks', 'begin')
        await pause(20)
        expect(seen.filter((each) => String(each) === 'two,begin').length).toBeGreaterThan(0)
        expect(seen.filter((each) => String(each) === 'one,begin').length).toBeGreaterThan(0)
      })
      const lost = one.transaction(async (tx) => {
        await one.notify('tasks', 'lost', tx)
        throw new Error('no')
      })
      await expect(lost).rejects.toThrow('no')
      await one.transaction((tx) => one.notify('tasks', 'id-7', tx))
      const of = (who: string) => seen.filter((each) => String(each) === `${who},id-7`).length
      await vi.waitFor(() => expect([of('one'), of('two')]).toEqual([1, 1]))
      expect(seen.filter((each) => /lost|wrong/.test(String(each)))).toEqual([])
      const large = one.notify('tasks', 'ä'.repeat(MAX_NOTICE_BYTES / 2 + 1))
      await expect(large).rejects.toMatchObject({ code: 'STORAGE_NOTICE_LARGE' })
      await one.notify('tasks', 'ä'.repeat(MAX_NOTICE_BYTES / 2))
    })

    test('a closed store says so, after what was under way has ended', async () => {
      const { one } = await two()
      const slow = one.transaction(async (tx) => {
        await pause(30)
        await tx.insertInto('notes').values({ id: 'a', text: '', n: 0 }).execute()
      })
      await pause(5)
      await one.close()
      await expect(slow).resolves.toBeUndefined()
      await expect(one.query.selectFrom('notes').selectAll().execute()).rejects.toMatchObject({
        code: 'STORAGE_CLOSED',
      })
    })
  })
}
