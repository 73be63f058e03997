import { Agent, AuxiliaryModels, PromptParts, Sessions, type TurnEvent } from 'svc/sdk'
import { BeforeModelCall, type ModelCallContext } from 'svc/sdk/hooks'
import type { InlinePlugin } from 'svc/sdk/host'
import { ModelCalls } from 'svc/sdk/sessions'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

const model = { provider: 'fake', default: 'fake-1' }
const secret = /ada@corp\.example/g

/** A redactor of addresses; `broken` makes it fail. */
function redactor(seen: ModelCallContext[], broken?: 'throws' | 'malformed'): InlinePlugin {
  return {
    name: 'redactor',
    setup(ctx) {
      ctx.on(
        BeforeModelCall,
        (request, info) => {
          seen.push(info)
          if (broken === 'throws') throw new Error('the redaction service is down')
          if (broken === 'malformed') return { ...request, messages: [{ role: 'user' }] } as never
          return {
            ...request,
            messages: request.messages.map((each) => ({ ...each, text: each.text.replace(secret, '[address]') })),
          }
        },
        { failure: 'stop' },
      )
    },
  }
}

const part: InlinePlugin = {
  name: 'signature',
  setup: (ctx) => void ctx.add(PromptParts, { name: 'signature', tier: 'stable', text: () => 'Ask ada@corp.example.' }),
}

async function open(with_: readonly InlinePlugin[], config: object = {}) {
  const fake = fakeProvider(['hello'])
  const kernel = await testKernel({
    plugins: ['agent', 'auxiliary', 'prompt'],
    with: [fake.plugin, part, ...with_],
    config: { model, ...config },
  })
  const { id: sessionId } = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const turn = async () => {
    const events: TurnEvent[] = []
    const wish = { sessionId, text: 'Write to ada@corp.example', surface: 'test' }
    for await (const event of kernel.use(Agent).run(wish)) events.push(event)
    return events
  }
  const side = () => {
    const messages = [{ role: 'user', text: 'A title for ada@corp.example' }] as const
    return kernel.use(AuxiliaryModels).ask({ slot: 'title', messages, sessionId })
  }
  return { kernel, fake, turn, side, [Symbol.asyncDispose]: () => kernel.stop() }
}

test('a redactor sees every call whole: the system prompt, the conversation and side work', async () => {
  const seen: ModelCallContext[] = []
  await using svc = await open([redactor(seen)])
  await svc.turn()
  await svc.side()
  expect(svc.fake.requests).toHaveLength(2)
  expect(JSON.stringify(svc.fake.requests.map(({ messages }) => messages))).not.toMatch(secret)
  expect(svc.fake.requests[0]?.messages[0]).toMatchObject({
    role: 'system',
    text: expect.stringContaining('[address]'),
  })
  expect(seen.map(({ purpose, provider }) => [purpose, provider])).toEqual([
    ['turn', 'fake'],
    ['title', 'fake'],
  ])
})

test.each(['throws', 'malformed'] as const)(
  'while a redactor that must run fails (%s), nothing goes out',
  async (broken) => {
    await using svc = await open([redactor([], broken)])
    const events = await svc.turn()
    await expect(svc.side()).rejects.toMatchObject({ code: 'HOOK_STOPPED' })
    expect(svc.fake.requests).toEqual([])
    expect(events.find(({ type }) => type === 'error')).toMatchObject({ code: 'HOOK_STOPPED', message: /redactor/ })
    expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'failed' })
  },
)

test('with an invalid budget no model is called, for turns or side work, and the line to fix is named', async () => {
  await using svc = await open([], { budget: { session: { tokens: 10, usd: 'ten' } } })
  const events = await svc.turn()
  await expect(svc.side()).rejects.toMatchObject({ code: 'GUARD_MISSING' })
  expect(svc.fake.requests).toEqual([])
  const error = events.find(({ type }) => type === 'error')
  expect(error).toMatchObject({
    code: 'GUARD_MISSING',
    message: expect.stringContaining('budget.session.usd is "ten"'),
  })
})

test('budgets that the user disables leave the gate open', async () => {
  await using svc = await open([], { plugins: { disabled: ['budgets'] } })
  expect((await svc.turn()).at(-1)).toMatchObject({ reason: 'completed' })
})

test('the caller alone says when a call ends: a listener cannot take its signal away', async () => {
  const swap: InlinePlugin = {
    name: 'swap',
    setup: (ctx) => void ctx.on(BeforeModelCall, (request) => ({ ...request, signal: new AbortController().signal })),
  }
  await using svc = await open([swap])
  const { signal } = new AbortController()
  const provider = await svc.kernel.use(ModelCalls).begin({
    provider: {
      async *stream(request: { signal: AbortSignal }) {
        yield request.signal
      },
    } as never,
    request: { model: 'm', messages: [], tools: [], signal },
    spender: { purpose: 'test' },
    estimate: { inputTokens: 1, outputTokens: 1 },
  })
  const seen: unknown[] = []
  for await (const given of provider.events) seen.push(given)
  expect(seen[0]).toBe(signal)
  provider.end()
})
