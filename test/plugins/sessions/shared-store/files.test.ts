/** What only files can come to: clocks of machines, damage, a full disk; and what is loaded when. */
import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Lease, SharedStore } from 'svc/sdk/store'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { runAndList } from '../../../support/loaded.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const HOUR_MS = 3_600_000
const owner = 'board'

async function start(more: Parameters<typeof testKernel>[0] = {}) {
  const kernel = await testKernel({ plugins: ['shared-store'], ...more })
  onTestFinished(() => kernel.stop())
  return { kernel, store: await kernel.use(SharedStore).open<Record<string, never>>({ owner, migrations: [] }) }
}

/** Two processes of one machine, whose clock is set by hand. */
async function startTwo() {
  const home = temporaryFolder()
  const clocks = [virtualClock(), virtualClock()] as const
  const [one, other] = [await start({ home, clock: clocks[0] }), await start({ home, clock: clocks[1] })]
  return { one: one.store, other: other.store, clocks }
}

test('a clock that is set back by an hour does not prolong a lease by it', async () => {
  const home = temporaryFolder()
  const early = virtualClock(Date.UTC(2026, 0, 1, 11))
  const late = virtualClock(Date.UTC(2026, 0, 1, 12))
  const { store: one } = await start({ home, clock: late })
  const { store: other } = await start({ home, clock: early })
  const options = { ttlMs: 10_000, holder: 'one', renews: false }
  const left = (await one.locks.take('account', options)) as Lease
  expect(await other.locks.take('account', options)).toBeUndefined()
  const queue = other.queue<string>('mail')
  await queue.enqueue('letter')
  await one.queue('mail').claim({ limit: 1, leaseMs: 10_000, holder: 'one' })
  expect(await queue.claim({ limit: 1, leaseMs: 10_000, holder: 'two' })).toEqual([])
  await early.advance(10_001)
  expect((await other.locks.take('account', options))?.token).toBe(left.token + 1)
  expect(await queue.claim({ limit: 1, leaseMs: 10_000, holder: 'two' })).toMatchObject([
    { payload: 'letter', epoch: 2 },
  ])
})

test('a clock that is set forward by an hour ends leases early, and the fence keeps the first holder out', async () => {
  const { one, other, clocks } = await startTwo()
  const options = { ttlMs: 10_000, holder: 'one', renews: false }
  const first = (await one.locks.take('account', options)) as Lease
  await clocks[1].advance(HOUR_MS)
  const second = (await other.locks.take('account', options)) as Lease
  await expect(one.transaction((tx) => one.locks.fence(tx, first))).rejects.toMatchObject({ code: 'STORAGE_FENCED' })
  await other.transaction((tx) => other.locks.fence(tx, second))
})

test.runIf(process.platform === 'linux')(
  'what another process tells arrives at once, although no time passes',
  async () => {
    const { one, other } = await startTwo()
    const heard: (string | undefined)[] = []
    const listening = one.listen('tasks', (notice) => heard.push(notice))
    await other.notify('tasks', 'begin')
    await expect.poll(() => heard).toEqual(['begin'])
    await one.notify('tasks', 'own')
    await one.transaction(async (tx) => {
      await one.notify('tasks', 'held', tx)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(heard).not.toContain('held')
    })
    // The clocks stand still.
    await expect.poll(() => heard).toEqual(['begin', 'own', 'held'])
    listening()
    await other.notify('tasks', 'late')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(heard).toHaveLength(3)
  },
)

test('a lease renews itself as time passes, and its holder is told when the store is gone for longer than it lasts', async () => {
  const { one, other, clocks } = await startTwo()
  const lease = (await one.locks.take('account', { ttlMs: 9000, holder: 'one' })) as Lease
  for (let step = 0; step < 10; step++) {
    for (const clock of clocks) await clock.advance(3000)
    await one.now()
  }
  expect([lease.signal.aborted, await other.locks.take('account', { ttlMs: 9000, holder: 'two' })]).toEqual([
    false,
    undefined,
  ])
  await lease.release()
  const taken = (await other.locks.take('account', { ttlMs: 9000, holder: 'two', renews: false })) as Lease
  await clocks[1].advance(9001)
  expect(taken.signal.aborted).toBe(true)
})

test('the key of an item that was finished in a transaction is remembered for a week', async () => {
  const { one, clocks } = await startTwo()
  const queue = one.queue<number>('mail')
  await queue.enqueue(1, { key: 'k' })
  const [item] = await queue.claim({ limit: 1, leaseMs: 1000, holder: 'one' })
  if (item) await one.transaction((tx) => queue.ack(item, tx))
  const later = async (days: number) => {
    await clocks[0].advance(days * 24 * HOUR_MS)
    await queue.claim({ limit: 1, leaseMs: 1000, holder: 'one' })
    return (await queue.enqueue(2, { key: 'k' })).isNew
  }
  expect([await later(6), await later(2)]).toEqual([false, true])
})

test('a file that was cut in half is set aside, and the store begins again', async () => {
  const home = temporaryFolder()
  const { kernel, store } = await start({ home })
  const queue = store.queue<string>('mail')
  await store.transaction(async (tx) => {
    for (let n = 0; n < 500; n++) await queue.enqueue('letter'.repeat(50), {}, tx)
  })
  await kernel.stop()
  const file = join(home, 'data', 'shared-store', `${owner}.db`)
  truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096 + 100)
  const again = await start({ home })
  const mail = again.store.queue<string>('mail')
  await mail.enqueue('new')
  expect((await mail.claim({ limit: 1, leaseMs: 1000, holder: 'one' })).length).toBe(1)
  expect(readdirSync(join(home, 'data', 'shared-store')).some((name) => name.includes('corrupt'))).toBe(true)
})

test('where files cannot be made, opening says so and what to do, and works once they can', async () => {
  const kernel = await testKernel({ plugins: ['shared-store'] })
  onTestFinished(() => kernel.stop())
  const folder = join(kernel.home, 'data', 'shared-store')
  mkdirSync(join(kernel.home, 'data'), { recursive: true })
  writeFileSync(folder, 'a file in the way')
  const open = () => kernel.use(SharedStore).open({ owner, migrations: [] })
  await expect(open()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  rmSync(folder)
  await expect(open()).resolves.toBeDefined()
})

test('the version and the list of plugins load nothing of it, and a question no library', () => {
  for (const words of [['--version'], ['chat', '--provider', 'demo', '-q', 'hi'], ['plugins', 'list']]) {
    const { code, packages, sources } = runAndList(words)
    expect(code).toBe(0)
    expect(packages.filter((name) => /kysely|^pg/.test(name))).toEqual([])
    // What delegates opens the store once it has something to keep.
    const own = sources.filter((file) => /shared-store|storage-postgres/.test(file))
    if (words[0] !== 'chat') expect(own).toEqual([])
    expect(own.filter((file) => /sqlite|kysely|locks|queue|client/.test(file))).toEqual([])
  }
})
