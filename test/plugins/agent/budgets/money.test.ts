/** What is counted, for whom, and at which price, in the cases that are easily got wrong. */
import { mkdirSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import type { InlinePlugin } from 'svc'
import { Providers } from 'svc/sdk/provider'
import { Budgets } from 'svc/sdk/safety'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { kernelOwner } from '../../../../kernel/owner.ts'
import { computeCost } from '../../../../plugins/agent/budgets/call-cost.ts'
import { boot } from '../../../../program/boot.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const spender = { purpose: 'turn', provider: 'fake', model: 'fake-1', sessionId: 's', turnId: 't' }
const small = { inputTokens: 50, outputTokens: 50 }
const noon = new Date(2026, 10, 20, 12).getTime()

/** A model on this machine: no one has to pay for it. */
const local: InlinePlugin = {
  name: 'local-model',
  kind: 'provider',
  contributes: { providers: ['local'] },
  setup: (ctx) =>
    void ctx.add(Providers, {
      name: 'local',
      label: 'Local',
      auth: { type: 'none' },
      status: async () => ({ ready: true, detail: 'here' }),
      models: async () => [],
      async *stream() {},
    }),
}

async function run(caps: object, { home = temporaryFolder(), clock = virtualClock(noon) } = {}) {
  const kernel = await testKernel({ plugins: ['budgets'], clock, home, with: [local], config: { budget: caps } })
  onTestFinished(() => kernel.stop())
  const service = kernel.use(Budgets)
  const call = (more: object = {}) => service.reserve({ ...spender, ...more }, small)
  const spend = (tokens: number, more: object = {}) => call(more).settle({ input: tokens, output: 0 })
  const spent = () => service.spent({ sessionId: 's' })
  return { kernel, clock, home, service, call, spend, spent, stop: () => kernel.stop() }
}

function findLedger(home: string): string {
  const found = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('budgets.db'))
  expect(found).toHaveLength(1)
  return join(home, found[0] ?? '')
}

describe('the time of a turn', () => {
  const minute = { turn: { seconds: 60 } }

  test('is up when it is, for calls of the model and for tools', async () => {
    const { clock, spend, call, service } = await run(minute)
    spend(1)
    await clock.advance(59_000)
    spend(1)
    service.countTool(spender)
    await clock.advance(1000)
    expect(call).toThrow(/60 of 60 seconds for this turn/)
    expect(() => service.countTool(spender)).toThrow(/60 of 60 seconds for this turn/)
  })

  test('begins with its first call, also when the cap was set after that', async () => {
    const free = await run({})
    free.spend(1)
    await free.clock.advance(61_000)
    const capped = await run(minute, { home: free.home, clock: free.clock })
    expect(capped.call).toThrow(/61 of 60 seconds/)
    expect(() => capped.call({ turnId: 'new' })).not.toThrow()
  })
})

test('a restart forgets no tool call of a turn that continues', async () => {
  const caps = { turn: { tool_calls: 2 } }
  const first = await run(caps)
  first.service.countTool(spender)
  first.spend(1)
  await first.stop()
  const second = await run(caps, { home: first.home, clock: first.clock })
  second.service.countTool(spender)
  expect(() => second.service.countTool(spender)).toThrow(/2 of 2 tool calls/)
})

test('a call whose row an older copy of the ledger does not have is counted when it ends', async () => {
  const { call, spent, home } = await run({ session: { tokens: 1000 } })
  const held = call()
  const other = new SqliteDatabase(findLedger(home))
  other.exec('DELETE FROM calls')
  other.close()
  held.settle({ input: 700, output: 1 })
  expect(spent()).toMatchObject({ modelCalls: 1, input: 700, output: 1 })
})

test('a ledger that never had a cap and was emptied is missed, too', async () => {
  const free = await run({})
  free.spend(500)
  await free.stop()
  const file = findLedger(free.home)
  for (const rest of ['-wal', '-shm', '.backup']) rmSync(file + rest, { force: true })
  truncateSync(file)
  const capped = await run({ session: { tokens: 100 } }, { home: free.home })
  expect(capped.call).toThrow(/svc budget confirm/)
})

test('groups whose names begin alike pay for themselves only', async () => {
  const { service, spend } = await run({})
  service.limit('job:a', { tokens: 100 })
  service.limit('job:ab', { tokens: 100 })
  spend(150, { groups: ['job:ab', 'x'] })
  expect(() => spend(150, { groups: ['job:a'] })).not.toThrow()
  expect(() => spend(1, { groups: ['x', 'job:ab'] })).toThrow(/150 of 100 tokens for job:ab/)
  expect(service.spent({ group: 'job:a' })).toMatchObject({ modelCalls: 1, input: 150 })
})

test('profiles have their own caps under the one of the account', async () => {
  const caps = { account: { day: { tokens: 100 } }, profile: { day: { tokens: 60 } } }
  const work = await run(caps)
  mkdirSync(join(work.home, 'profiles', 'play'), { recursive: true })
  const place = { env: {}, cwd: work.home, home: work.home, profile: 'play' }
  const play = await boot({ ...place, ports: { clock: work.clock }, config: { budget: caps } })
  onTestFinished(() => play.stop())
  await play.kernel.load(['budgets'])
  work.spend(60)
  expect(work.call).toThrow(/60 of 60 tokens for profile today/)
  const other = play.kernel.services.use(Budgets, kernelOwner)
  const reserve = () => other.reserve(spender, small)
  reserve().settle({ input: 45, output: 0 })
  expect(reserve).toThrow(/105 of 100 tokens for account today/)
})

describe('what a service says of a call', () => {
  test('counts as far as it goes: one side is no reason for the estimate', async () => {
    const { call } = await run({ session: { tokens: 100 } })
    call().settle({ output: 30 })
    call().settle({ input: 60 })
    call().settle({ output: 10 })
    expect(call).toThrow(/100 of 100 tokens/)
  })

  test('counts in dollars, also where no token is told', async () => {
    const { call } = await run({ session: { usd: 4 } })
    call().settle({ costUsd: 5 })
    expect(call).toThrow(/5.0000 of 4 US dollars/)
  })
})

test('calls under way count in dollars, too: the second of two at once is refused', async () => {
  const { call } = await run({ session: { usd: 0.01 } })
  const first = call()
  expect(call).toThrow(/US dollars for this session/)
  first.release()
  expect(call).not.toThrow()
})

test('a call that ends after a later one is counted with what it took', async () => {
  const { call, spend } = await run({ session: { tokens: 1000 } })
  const long = call()
  spend(10)
  spend(10)
  long.settle({ input: 985, output: 0 })
  expect(call).toThrow(/1005 of 1000 tokens/)
})

test('a month begins on its first day with nothing spent', async () => {
  const clock = virtualClock(new Date(2026, 9, 31, 12).getTime())
  const { call, spend } = await run({ account: { month: { tokens: 100 } } }, { clock })
  spend(100)
  expect(call).toThrow(/100 of 100 tokens for account this month/)
  await clock.advance(86_400_000)
  spend(60)
  spend(40)
  expect(call).toThrow(/100 of 100 tokens for account this month/)
})

test('a model on this machine takes nothing of a cap in dollars', async () => {
  const { call } = await run({ session: { usd: 0.01 } })
  const here = { provider: 'local', model: 'tiny' }
  expect(call(here).settle({ input: 1_000_000, output: 1_000_000 })).toMatchObject({ costUsd: 0 })
  expect(() => call(here)).not.toThrow()
})

test('tokens of the cache cost what others do where no one knows better, and never less than nothing', () => {
  const price = { input: 10, output: 50 }
  expect(computeCost(price, { input: 1_000_000, cachedInput: 600_000 })).toBeCloseTo(10)
  expect(computeCost(price, { input: 1_000_000, cacheWriteInput: 600_000 })).toBeCloseTo(10)
  const apart = { input: 0, cachedInput: 1_000_000, cacheWriteInput: 1_000_000 }
  expect(computeCost({ ...price, cachedInput: 1, cacheWriteInput: 12 }, apart)).toBeCloseTo(13)
})
