/** Budgets that plugins open for work of theirs. */
import { Agent, Sessions } from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

async function open(replies: Parameters<typeof fakeProvider>[0] = [], home?: string) {
  const fake = fakeProvider(replies)
  const kernel = await testKernel({
    plugins: ['agent', 'conversation', 'budgets'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    ...(home && { home }),
  })
  onTestFinished(() => kernel.stop())
  return { kernel, fake, budgets: kernel.use(Budgets) }
}

test('what is left of a cap is held before the work is done, and work that does not fit is refused', async () => {
  const { budgets } = await open()
  const crawl = budgets.open('crawl', { usd: 1 })
  const first = crawl.reserve('search', { usd: 0.6 })
  expect(() => crawl.reserve('search', { usd: 0.6 })).toThrow(/0.6000 of 1 US dollars for work\/crawl, and 0.6 more/)
  first.settle({ costUsd: 0.3 })
  const second = crawl.reserve('search', { usd: 0.7 })
  second.release()
  crawl.reserve('search', { usd: 0.7 }).settle({ costUsd: 0.7 })
  expect(() => crawl.reserve('search', { usd: 0.01 })).toThrow(expect.objectContaining({ code: 'BUDGET_EXCEEDED' }))
  expect(crawl.spent()).toMatchObject({ costUsd: 1 })
})

test('a part of the work has at most what is left of the whole, and counts there as well', async () => {
  const { budgets } = await open()
  const whole = budgets.open('import', { usd: 1, tokens: 1000 })
  whole.reserve('pages', { tokens: 400 }).settle({ input: 400 })
  const part = whole.share('second', { usd: 5, tokens: 5000 })
  expect(part.groups).toEqual(['work/import', 'work/import/second'])
  expect(() => part.reserve('pages', { tokens: 700 })).toThrow(/of 600 tokens|of 1000 tokens/)
  part.reserve('pages', { tokens: 500 }).settle({ input: 500 })
  expect(whole.spent()).toMatchObject({ input: 900 })
  expect(() => whole.reserve('pages', { tokens: 200 })).toThrow(/for work\/import, and 200 more/)
  const none = whole.share('third', {})
  expect(() => none.reserve('pages', { tokens: 101 })).toThrow(/for work\/import, and 101 more/)
  expect(none.spent()).toMatchObject({ modelCalls: 0 })
})

test('turns that run with its groups spend from it, and stop when it is used up', async () => {
  const reply = { text: 'ok', usage: { input: 900, output: 100 } }
  const { kernel, budgets, fake } = await open([reply, reply])
  const budget = budgets.open('nightly', { tokens: 1000 })
  const run = async () => {
    const { id } = kernel.use(Sessions).create({ surface: 'cli', cwd: kernel.home })
    return kernel.use(Agent).run({ sessionId: id, text: 'go', groups: budget.groups })
  }
  expect(await run()).toMatchObject({ text: 'ok' })
  expect(budget.spent()).toMatchObject({ modelCalls: 1, input: 900, output: 100 })
  expect((await run()).error).toMatchObject({
    code: 'BUDGET_EXCEEDED',
    message: expect.stringContaining('work/nightly'),
  })
  expect(fake.requests).toHaveLength(1)
})

test('what was spent under a name is known after a restart', async () => {
  const home = temporaryFolder()
  const first = await open([], home)
  first.budgets.open('nightly:2026-11-27', { usd: 1 }).reserve('search', { usd: 0.9 }).settle({ costUsd: 0.9 })
  await first.kernel.stop()
  const { budgets } = await open([], home)
  expect(() => budgets.open('nightly:2026-11-27', { usd: 1 }).reserve('search', { usd: 0.2 })).toThrow(/0.9000 of 1/)
  expect(() => budgets.open('nightly:2026-11-28', { usd: 1 }).reserve('search', { usd: 0.2 })).not.toThrow()
})

test.for(['', 'a,b', 'a b', 'a/b', 'x'.repeat(101)])('the name %j is refused', async (name) => {
  const { budgets } = await open()
  expect(() => budgets.open(name, { usd: 1 })).toThrow(expect.objectContaining({ code: 'BUDGET_NAME' }))
})

test('/budget shows every cap that holds here, and what is spent of it', async () => {
  const { kernel, budgets } = await open()
  const talk = fakeTalk(kernel)
  expect(await talk.type('/budget')).toContain('No cap holds here')
  budgets
    .open('crawl', { usd: 2, tokens: 5000 })
    .reserve('search', { usd: 0.5, tokens: 1000 })
    .settle({
      ...{ costUsd: 0.5, input: 1000 },
    })
  expect(await talk.type('/budget')).toBe('- work/crawl: $0.50 / $2.00, 1k / 5k tokens')
})
