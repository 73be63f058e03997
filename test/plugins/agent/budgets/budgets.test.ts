import fc from 'fast-check'
import { Agent, defineTool, Sessions, Tools, type TurnEvent } from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import { fakeProvider, testKernel, virtualClock } from 'svc/sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { ASSUMED_PRICE, addPrice, assumePrice, computeCost } from '../../../../plugins/agent/budgets/call-cost.ts'

const model = { provider: 'fake', default: 'fake-1' }
const spender = { purpose: 'turn', provider: 'fake', model: 'fake-1' }
const small = { inputTokens: 1000, outputTokens: 1000 }

async function budgets(caps: object, more: Parameters<typeof testKernel>[0] = {}, known: object = {}) {
  const clock = virtualClock(Date.UTC(2026, 10, 20, 12))
  const kernel = await testKernel({
    plugins: ['budgets'],
    clock,
    ...more,
    config: { model: { ...model, known }, budget: caps },
  })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  return { kernel, clock, service: kernel.use(Budgets) }
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

describe('a cap', () => {
  it('lets calls in until it is used up, and says then which it was and what to do', async () => {
    const { service } = await budgets({ session: { tokens: 3000 } })
    const call = () => service.reserve({ ...spender, sessionId: 's' }, small)
    call().settle({ input: 1000, output: 900 })
    call().settle({ input: 1000, output: 900 })
    expect(call).toThrow(/3800 of 3000 tokens for this session. Raise budget.session.tokens, or see `svc usage`/)
    expect(() => service.reserve({ ...spender, sessionId: 'other' }, small)).not.toThrow()
    expect(service.spent({ sessionId: 's' })).toMatchObject({ modelCalls: 2, input: 2000, output: 1800 })
  })

  it('is overshot by one answer at most, however many ask at once and however much they take', () => {
    return fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20_000 }),
        fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 100, maxLength: 100 }),
        fc.infiniteStream(fc.nat(99)),
        async (cap, sizes, order) => {
          const { service, kernel } = await budgets({ account: { day: { tokens: cap } } })
          const open = new Map<number, { settle(usage: object): unknown }>()
          let taken = 0
          const settle = (index: number) => {
            const size = sizes[index] ?? 1
            if (!open.get(index)) return
            open.get(index)?.settle({ input: size, output: size })
            open.delete(index)
            taken += size * 2
          }
          for (const index of sizes.keys()) {
            const size = sizes[index] ?? 1
            try {
              const room = { inputTokens: size, outputTokens: size }
              open.set(index, service.reserve({ ...spender, sessionId: `s${index}` }, room))
            } catch (error) {
              expect(error).toMatchObject({ code: 'BUDGET_EXCEEDED' })
              const reserved = [...open.keys()].reduce((sum, at) => sum + 2 * (sizes[at] ?? 1), 0)
              expect(taken + reserved + 2 * size).toBeGreaterThan(cap)
            }
            const [some] = order.take(1)
            settle(some ?? 0)
          }
          for (const index of sizes.keys()) settle(index)
          expect(taken).toBeLessThan(cap + 2 * Math.max(...sizes))
          await kernel.stop()
        },
      ),
      { numRuns: 15 },
    )
  })

  it('of a day is over at midnight, and one of a month is not', async () => {
    const { service, clock } = await budgets({ account: { day: { tokens: 10 }, month: { tokens: 30 } } })
    const spend = () => service.reserve(spender, small).settle({ input: 10, output: 5 })
    spend()
    expect(spend).toThrow(/account today/)
    await clock.advance(86_400_000)
    spend()
    expect(spend).toThrow(/account this month/)
  })

  it('of a turn counts seconds from its first call, and tools', async () => {
    const { service, clock } = await budgets({ turn: { seconds: 60, tool_calls: 2 } })
    const at = { sessionId: 's', turnId: 't' }
    service.reserve({ ...spender, ...at }, small).settle({ input: 1, output: 1 })
    service.countTool(at)
    service.countTool(at)
    expect(() => service.countTool(at)).toThrow(/2 of 2 tool calls for this turn. Raise budget.turn.tool_calls/)
    service.countTool({ ...at, turnId: 'next' })
    await clock.advance(61_000)
    expect(() => service.reserve({ ...spender, ...at }, small)).toThrow(/61 of 60 seconds/)
  })

  it('of a group holds for all that spend in its name', async () => {
    const { service } = await budgets({})
    service.limit('job:nightly', { tokens: 100 })
    const call = () => service.reserve({ ...spender, groups: ['job:nightly'] }, small)
    call().settle({ input: 90, output: 20 })
    expect(call).toThrow(/110 of 100 tokens for job:nightly/)
    expect(service.spent({ group: 'job:nightly' })).toMatchObject({ input: 90 })
  })

  it('that is set late counts what was spent before', async () => {
    const { kernel } = await budgets({}, { plugins: ['budgets', 'agent'] })
    kernel
      .use(Budgets)
      .reserve({ ...spender, sessionId: 's' }, small)
      .settle({ input: 70, output: 50 })
    const later = await testKernel({
      plugins: ['budgets'],
      home: kernel.home,
      clock: virtualClock(Date.UTC(2026, 10, 20, 13)),
      config: { model, budget: { session: { tokens: 100 } } },
    })
    onTestFinished(() => later.stop())
    const call = () => later.use(Budgets).reserve({ ...spender, sessionId: 's' }, small)
    expect(call).toThrow(/120 of 100 tokens for this session/)
  })

  it('holds for two processes of one home together', async () => {
    const { service, kernel } = await budgets({ account: { day: { tokens: 100 } } })
    const other = await testKernel({
      plugins: ['budgets'],
      home: kernel.home,
      clock: virtualClock(Date.UTC(2026, 10, 20, 12)),
      config: { model, budget: { account: { day: { tokens: 100 } } } },
    })
    onTestFinished(() => other.stop())
    other.use(Budgets).reserve(spender, small)
    expect(() => service.reserve(spender, small)).toThrow(/2000 of 100 tokens/)
  })
})

describe('a call that never happened', () => {
  it('leaves no trace, and one that was settled stays settled', async () => {
    const { service } = await budgets({ session: { tokens: 100 } })
    const call = () => service.reserve({ ...spender, sessionId: 's' }, { inputTokens: 100, outputTokens: 0 })
    call().release()
    const reservation = call()
    reservation.settle({ input: 5, output: 5 })
    reservation.release()
    reservation.settle({ input: 5, output: 5 })
    expect(service.spent({ sessionId: 's' })).toEqual({
      modelCalls: 1,
      input: 5,
      output: 5,
      unpricedCalls: 1,
    })
  })
})

describe('a price', () => {
  it('counts what was cached and written to the cache at their own prices', () => {
    const price = { input: 10, output: 50, cachedInput: 1, cacheWriteInput: 12.5 }
    const usage = { input: 1_000_000, cachedInput: 600_000, cacheWriteInput: 200_000, output: 100_000 }
    expect(computeCost(price, usage)).toBeCloseTo(2 + 0.6 + 2.5 + 5)
  })

  it('that no one knows is not free: shown as unknown, and counted at the highest', async () => {
    expect(addPrice({ input: 5 }, { id: 'x' })).toEqual({ input: 5, unpricedCalls: 1 })
    expect(addPrice({ input: 5, costUsd: 0.2 }, { id: 'x' })).toEqual({ input: 5, costUsd: 0.2 })
    const { service } = await budgets({ session: { usd: 0.1 } })
    const call = () => service.reserve({ ...spender, sessionId: 's' }, small)
    const usage = call().settle({ input: 1000, output: 1000 })
    expect(usage).toEqual({ input: 1000, output: 1000, unpricedCalls: 1 })
    expect(computeCost(ASSUMED_PRICE, usage)).toBeGreaterThan(0.1)
    expect(call).toThrow(/US dollars for this session/)
  })

  it('of another tier is that of the tier that was used; one that is not known is shown as unknown', async () => {
    const info = {
      id: 'x',
      price: { input: 2, output: 4, tiers: { priority: { input: 20, output: 40 } } },
    }
    const usage = { input: 1_000_000, output: 500_000 }
    expect(addPrice(usage, info)).toEqual({ ...usage, costUsd: 4 })
    expect(addPrice(usage, info, 'default')).toEqual({ ...usage, costUsd: 4 })
    expect(addPrice(usage, info, 'priority')).toEqual({ ...usage, costUsd: 40 })
    expect(addPrice(usage, info, 'flex')).toEqual({ ...usage, unpricedCalls: 1 })
    expect(assumePrice(info, 'flex')).toBe(info.price)
    expect(assumePrice({ id: 'x', price: { input: 2, output: 4 } }, 'priority')).toBe(ASSUMED_PRICE)
  })

  it('of the tier that is asked for is held before the call, and paid when another one was used', async () => {
    const known = { input_price: 1, output_price: 1 }
    const { service } = await budgets({ session: { usd: 0.2 } }, {}, { 'fake/fake-1': known })
    const call = (tier?: 'priority') => service.reserve({ ...spender, sessionId: 's' }, { ...small, tier })
    expect(call().settle({ input: 1000, output: 1000 })).toMatchObject({ costUsd: 0.002 })
    // An unknown price is assumed to be high: the reservation exceeds the rest of the budget.
    const dear = call('priority')
    expect(() => call()).toThrow(/US dollars for this session/)
    expect(dear.settle({ input: 1000, output: 1000 }, 'default')).toMatchObject({ costUsd: 0.002 })
    expect(call().settle({ input: 1000, output: 1000 })).toMatchObject({ costUsd: 0.002 })
  })

  it('of a call that a crash cut off is not known, though caps count its estimate', async () => {
    const { service, kernel } = await budgets({ session: { tokens: 1500 } })
    service.reserve({ ...spender, sessionId: 's' }, small)
    expect((await kernel.run(['usage'])).out).toMatch(/fake-1\s+1\s+1,000\s+1,000\s+unknown \(1 call\)/)
    expect(() => service.reserve({ ...spender, sessionId: 's' }, small)).toThrow(/2000 of 1500 tokens/)
  })

  it('of a service that does not count is taken from the estimate', async () => {
    const { service } = await budgets({ session: { tokens: 1500 } })
    const call = () => service.reserve({ ...spender, sessionId: 's' }, small)
    call().settle({})
    expect(call).toThrow(/2000 of 1500 tokens/)
  })
})

describe('a turn', () => {
  it('that runs out of budget ends with the reason, keeps what was done, and makes no further call', async () => {
    const fake = fakeProvider([{ calls: [{ name: 'look' }], usage: { input: 600, output: 600 } }, 'never asked'])
    const look = defineTool({
      name: 'look',
      description: 'looks',
      input: z.object({}),
      effect: 'pure',
      toolset: 'test',
      reach: 'nothing',
      run: async () => 'seen',
    })
    const tools = {
      name: 'look',
      setup: (ctx: { add(point: typeof Tools, tool: typeof look): unknown }) => void ctx.add(Tools, look),
    }
    const { kernel } = await budgets(
      { turn: { tokens: 1000 } },
      { plugins: ['agent', 'budgets'], with: [fake.plugin, tools] },
    )
    const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
    const events = await collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
    expect(events.at(-2)).toMatchObject({ type: 'error', code: 'BUDGET_EXCEEDED' })
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'failed' })
    expect(fake.requests).toHaveLength(1)
    expect(session.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('shows its cost, and the session adds it up', async () => {
    const fake = fakeProvider([{ text: 'hi', usage: { input: 10, output: 5, costUsd: 0.25 } }])
    const { kernel } = await budgets({}, { plugins: ['agent', 'budgets'], with: [fake.plugin] })
    const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
    for (const text of ['one', 'two'])
      await collect(kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test' }))
    expect(kernel.use(Sessions).list()[0]?.usage).toEqual({ input: 20, output: 10, costUsd: 0.5 })
    const shown = await kernel.run(['usage', '--by', 'provider'])
    expect(shown.out).toMatch(/fake\s+2\s+20\s+10\s+\$0\.5000/)
    const json = JSON.parse((await kernel.run(['usage', '--by', 'session', '--json'])).out)
    expect(json.rows).toMatchObject([{ name: session.id, calls: 2, costUsd: 0.5 }])
    expect((await kernel.run(['usage', '--by', 'mood'])).err).toMatch(/Choose one of: day/)
  })
})

it('an installation that idles for a day asks no model anything', async () => {
  const fake = fakeProvider(['never asked'])
  const { clock } = await budgets({}, { plugins: ['agent', 'budgets', 'auxiliary', 'chat'], with: [fake.plugin] })
  await clock.advance(86_400_000)
  expect(fake.requests).toEqual([])
})
