/** What a turn pays for: every answer of which something came, once, and nothing else. */
import { Agent, Budgets, Sessions, type TurnEvent } from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { collect } from '../../support/scene.ts'

async function open(script: readonly ScriptedReply[], { tokens = 1_000_000, fallback = false, env = {} } = {}) {
  const fake = fakeProvider(script)
  const clock = virtualClock()
  const fallbacks = fallback ? [{ provider: 'fake', model: 'fake-2' }] : []
  const kernel = await testKernel({
    plugins: ['agent', 'budgets'],
    clock,
    env,
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1', fallbacks }, budget: { session: { tokens } } },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const turn = async (): Promise<TurnEvent[]> => {
    let isOver = false
    const going = collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
    void going.finally(() => {
      isOver = true
    })
    while (!isOver) await clock.advance(1000)
    return going
  }
  return { fake, turn, clock, session, spent: () => kernel.use(Budgets).spent({ sessionId: session.id }) }
}

const shown = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'message.delta' ? [event.text] : [])).join('')
const usages = (events: readonly TurnEvent[]) => events.filter(({ type }) => type === 'usage')

test('after a text that was shown no other model is asked: nobody reads two answers or pays for both', async () => {
  const { fake, turn, spent } = await open([{ text: 'Half', failure: { kind: 'billing' } }, 'Another answer'], {
    fallback: true,
  })
  const events = await turn()
  expect(fake.requests.map(({ model }) => model)).toEqual(['fake-1'])
  expect(shown(events)).toBe('Half')
  expect(events.at(-1)).toMatchObject({ reason: 'failed' })
  expect(spent().modelCalls).toBe(1)
})

test('after a text that was shown the same request is not made again, however passing the failure', async () => {
  const limited = { text: 'Half', failure: { kind: 'rate-limit', retryable: true } } as const
  const { fake, turn } = await open([limited, 'Half an answer'])
  const events = await turn()
  expect(fake.requests).toHaveLength(1)
  expect(shown(events)).toBe('Half')
})

test.each([
  ['shown text', { text: 'Half' }],
  ['thoughts', { reasoning: 'Hm.' }],
  ['a call', { calls: [{ name: 'none' }] }],
])('an answer that broke after %s and was not counted takes its estimate from the budget', async (_, came) => {
  const { turn, spent } = await open([{ ...came, failure: { kind: 'billing' } }, 'never asked'], { tokens: 100 })
  const events = await turn()
  expect(usages(events)).toHaveLength(1)
  expect(spent()).toMatchObject({ modelCalls: 1 })
  expect((await turn()).at(-2)).toMatchObject({ type: 'error', code: 'BUDGET_EXCEEDED' })
})

test('a call that failed before anything came gives back what was held for it', async () => {
  const { turn, spent } = await open([{ failure: { kind: 'billing' } }, 'fine'], { tokens: 100 })
  const failed = await turn()
  expect(usages(failed)).toEqual([])
  expect(spent()).toMatchObject({ modelCalls: 0 })
  expect((await turn()).at(-1)).toMatchObject({ reason: 'completed' })
})

test('an answer is paid as it was counted, and counted once', async () => {
  const { turn, spent } = await open([{ text: 'fine', usage: { input: 40, output: 2 } }])
  const events = await turn()
  expect(usages(events)).toHaveLength(1)
  expect(spent()).toMatchObject({ modelCalls: 1, input: 40, output: 2 })
  expect(events.at(-1)).toMatchObject({ usage: { input: 40, output: 2 } })
})
