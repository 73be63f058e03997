/** Caps count what the calls of their period took, whatever the settings and the clock did meanwhile. */
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import type { Clock } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { Budgets } from 'svc/sdk/safety'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../../../../plugins/agent/budgets/migrations.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const model = { provider: 'fake', default: 'fake-1' }
const spender = { purpose: 'turn', provider: 'fake', model: 'fake-1' }
const small = { inputTokens: 50, outputTokens: 50 }
const DAY = 86_400_000
const YEAR = 365 * DAY
const noon = new Date(2026, 10, 20, 12).getTime()

/** A clock that can be set wrong: nothing that waits is woken by that. */
function unsteadyClock(): Clock & { set(at: number): void } {
  const steady = virtualClock(noon)
  let now = noon
  return {
    ...steady,
    now: () => now,
    set(at) {
      now = at
    },
  }
}

interface Place {
  readonly clock: Clock
  readonly home?: string
  /** Further settings. */
  readonly more?: object
}

/** One run of svc in a home: the plugin with some caps. */
async function run(caps: object, { clock, home = newHome(), more = {} }: Place) {
  const kernel = await testKernel({ plugins: ['budgets'], clock, home, config: { model, budget: caps, ...more } })
  onTestFinished(() => kernel.stop())
  const call = (more: object = {}) => kernel.use(Budgets).reserve({ ...spender, sessionId: 's', ...more }, small)
  const spend = (tokens: number, more: object = {}) => call(more).settle({ input: tokens, output: 0 })
  return { kernel, home: kernel.home, service: kernel.use(Budgets), call, spend }
}

test('a cap that was taken away for a while counts what was spent meanwhile', async () => {
  const clock = unsteadyClock()
  const caps = { session: { tokens: 10_000 }, account: { day: { tokens: 12_000 } } }
  const first = await run(caps, { clock })
  first.spend(4000)
  const free = await run({}, { clock, home: first.home })
  free.spend(5000)
  free.spend(2000)
  expect(first.call).toThrow(/11000 of 10000 tokens for this session/)
  const again = await run(caps, { clock, home: first.home })
  expect(again.call).toThrow(/11000 of 10000 tokens for this session/)
  const other = { sessionId: 'other' }
  again.spend(1000, other)
  expect(() => again.call(other)).toThrow(/12000 of 12000 tokens for account today/)
})

test('a call that one process holds for its own cap is counted by the other caps of others, with what it really takes', async () => {
  const clock = unsteadyClock()
  const one = await run({ session: { tokens: 10_000 } }, { clock })
  const two = await run({ account: { day: { tokens: 1000 } } }, { clock, home: one.home })
  const held = one.call()
  two.spend(100)
  held.settle({ input: 850, output: 0 })
  two.spend(60)
  expect(two.call).toThrow(/1010 of 1000 tokens for account today/)
  const gone = one.call()
  gone.release()
  expect(two.call).toThrow(/1010 of 1000/)
})

test('a service that does not count is counted at the estimate, also when the cap comes later', async () => {
  const clock = unsteadyClock()
  const { call, home } = await run({}, { clock })
  call().settle({})
  const later = await run({ session: { tokens: 90 } }, { clock, home })
  expect(later.call).toThrow(/100 of 90 tokens/)
})

test('a group keeps its caps when the plugin is reloaded', async () => {
  const { kernel, service } = await run({}, { clock: unsteadyClock() })
  service.limit('job:nightly', { tokens: 100 })
  await kernel.use(Plugins).reload('budgets')
  const call = () => kernel.use(Budgets).reserve({ ...spender, groups: ['job:nightly'] }, small)
  call().settle({ input: 110, output: 0 })
  expect(call).toThrow(/110 of 100 tokens for job:nightly/)
})

test('a call that its service does not count takes its estimate in dollars, too, when the price is known', async () => {
  const known = { 'fake/fake-1': { input_price: 10_000, output_price: 10_000 } }
  const { call } = await run({ session: { usd: 1 } }, { clock: unsteadyClock(), more: { model: { ...model, known } } })
  call().settle({})
  expect(call).toThrow(/1.0000 of 1 US dollars for this session/)
})

test('a clock that was in the future and in the past locks no period of the present', async () => {
  const clock = unsteadyClock()
  const { spend, call } = await run({ account: { day: { tokens: 5000 }, month: { tokens: 9000 } } }, { clock })
  for (const jump of [1, 20 * 365, 80 * 365, -300]) {
    clock.set(noon + jump * DAY)
    spend(3001)
    clock.set(noon)
  }
  spend(3001)
  spend(1000)
  spend(1000)
  expect(call).toThrow(/5001 of 5000 tokens for account today/)
})

test('a start while the clock is in the future takes nothing from the day that is back afterwards', async () => {
  const clock = unsteadyClock()
  const turn = { turnId: 't' }
  const caps = { account: { day: { tokens: 5000 } }, turn: { tool_calls: 2 } }
  const { home, spend, service } = await run(caps, { clock })
  spend(4000, turn)
  service.countTool({ sessionId: 's', ...turn })
  clock.set(noon + 20 * YEAR)
  const ahead = await run(caps, { clock, home })
  ahead.spend(1, { turnId: 'ahead' })
  clock.set(noon)
  const back = await run(caps, { clock, home })
  back.service.countTool({ sessionId: 's', ...turn })
  expect(() => back.service.countTool({ sessionId: 's', ...turn })).toThrow(/2 of 2 tool calls/)
  back.spend(1000)
  expect(back.call).toThrow(/5000 of 5000 tokens for account today/)
})

test('a ledger of the first schema is counted again, with the calls that its sums had missed', async () => {
  const home = newHome()
  const free = await run({}, { clock: unsteadyClock(), home })
  free.spend(1)
  await free.kernel.stop()
  const file = findLedger(home)
  const beside = ['-wal', '-shm', '.name', '.used', '.backup', '.backup-previous']
  for (const rest of ['', ...beside]) rmSync(file + rest, { force: true })
  const old = new SqliteDatabase(file)
  old.exec(`${migrations[0]}; PRAGMA user_version = 1`)
  const add =
    old.prepare(`INSERT INTO calls (at, profile, session, groups, purpose, provider, model, input, output, settled)
    VALUES (?, 'default', 's', ',,', 'turn', 'fake', 'fake-1', ?, 0, ?)`)
  add.run(noon, 700, 1)
  add.run(noon, 50, 0)
  add.run(noon, 300, 1)
  old.exec(`INSERT INTO accounts (id, first_at, last_at, tokens, usd) VALUES ('session:s', ${noon}, ${noon}, 700, 0)`)
  old.close()
  const { call } = await run({ session: { tokens: 1050 } }, { clock: unsteadyClock(), home })
  expect(call).toThrow(/1050 of 1050 tokens for this session/)
})

for (const [what, spoil] of [
  ['was emptied', (file: string) => truncateSync(file)],
  ['was removed', (file: string) => rmSync(file)],
] as const) {
  test(`while the ledger ${what}, nothing is spent under a cap until a person has said that it may`, async () => {
    const clock = unsteadyClock()
    const caps = { account: { day: { tokens: 100 } } }
    const { kernel, home, spend } = await run(caps, { clock })
    spend(660)
    await kernel.stop()
    const file = findLedger(home)
    for (const rest of ['-wal', '-shm', '.backup']) rmSync(file + rest, { force: true })
    spoil(file)
    const free = await run({}, { clock, home })
    free.spend(1)
    const capped = await run(caps, { clock, home })
    expect(capped.call).toThrow(/svc budget confirm/)
    expect((await capped.kernel.run(['budget', 'confirm'])).err).toMatch(/add --yes/)
    expect(capped.call).toThrow(/svc budget confirm/)
    expect((await capped.kernel.run(['budget', 'confirm', '--yes'])).out).toMatch(/count from now on/)
    capped.spend(100)
    expect(capped.call).toThrow(/101 of 100 tokens/)
  })
}

/** A home that outlives the kernels that use it. */
function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-budgets-'))
  onTestFinished(() => removeFolder(home))
  return home
}

function findLedger(home: string): string {
  const found = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('budgets.db'))
  return join(home, found ?? 'budgets.db')
}

test('the sum of a session that no one has asked for since 10,000 calls is dropped, and counted again when it is', async () => {
  const clock = unsteadyClock()
  const caps = { session: { tokens: 100 } }
  const first = await run(caps, { clock })
  first.spend(60)
  await first.kernel.stop()
  const file = findLedger(first.home)
  const database = new SqliteDatabase(file)
  const sums = () => database.prepare("SELECT count(*) AS count FROM accounts WHERE id = 'session:s'").get()
  expect(sums()).toEqual({ count: 1 })
  // Sums are dropped at each 999th call: this is the one before.
  database.exec(`INSERT INTO calls (id, at, profile, session, groups, purpose, provider, model, input, output, settled)
    VALUES (${21 * 999 - 1}, ${noon}, 'default', 'other', ',,', 'turn', 'fake', 'fake-1', 1, 0, 1)`)
  const free = await run({}, { clock, home: first.home })
  free.spend(1, { sessionId: 'other' })
  await free.kernel.stop()
  expect(sums()).toEqual({ count: 0 })
  database.close()
  const again = await run(caps, { clock, home: first.home })
  again.spend(40)
  expect(again.call).toThrow(/100 of 100 tokens for this session/)
})
