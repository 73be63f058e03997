/** Answers that a service refuses, holds back or cuts, through the real wires: what is asked, said and paid. */
import { Agent, Sessions, type TurnEvent } from 'svc/sdk'
import { Budgets } from 'svc/sdk/safety'
import { fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAnthropicServer } from '../../../support/anthropic-server.ts'
import { startBedrockServer } from '../../../support/bedrock-server.ts'
import { startGeminiServer } from '../../../support/gemini-server.ts'
import { startModelServer } from '../../../support/model-server.ts'
import { collect } from '../../../support/scene.ts'

interface Wire {
  readonly plugin: string
  readonly provider: string
  readonly label: RegExp
  readonly env?: Readonly<Record<string, string>>
  /** The words with which the service says why it stopped. */
  readonly refused: object
  readonly cut: object
  readonly address?: object
  start(
    replies: readonly object[],
  ): Promise<{ readonly url: string; readonly requests: readonly unknown[]; close(): Promise<void> }>
}

const last = (replies: readonly object[]) => (_: unknown, index: number) =>
  (replies[Math.min(index, replies.length - 1)] ?? {}) as never
const ofOpenai = { plugin: 'provider-openai', provider: 'custom:box', label: /box/ }
const startBox: Wire['start'] = (replies) => startModelServer({ replies: last(replies) })

const wires: Readonly<Record<string, Wire>> = {
  Anthropic: {
    plugin: 'provider-anthropic',
    provider: 'anthropic',
    label: /Anthropic/,
    env: { ANTHROPIC_API_KEY: 'anthropic-key' },
    refused: { finish: 'refusal' },
    cut: { finish: 'max_tokens' },
    start: (replies) => startAnthropicServer({ replies: last(replies) }),
  },
  Gemini: {
    plugin: 'provider-gemini',
    provider: 'gemini',
    label: /Gemini/,
    env: { GOOGLE_API_KEY: 'gemini-key' },
    refused: { finish: 'SAFETY' },
    cut: { finish: 'MAX_TOKENS' },
    start: (replies) => startGeminiServer({ replies: last(replies) }),
  },
  Bedrock: {
    plugin: 'provider-bedrock',
    provider: 'bedrock',
    label: /Bedrock/,
    env: { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key' },
    refused: { finish: 'guardrail_intervened' },
    cut: { finish: 'max_tokens' },
    start: (replies) => startBedrockServer({ replies: last(replies) }),
  },
  Responses: {
    ...ofOpenai,
    address: { api_mode: 'responses' },
    refused: { finish: 'content_filter' },
    cut: { finish: 'length' },
    start: startBox,
  },
  'chat completions': {
    ...ofOpenai,
    address: { api_mode: 'chat_completions' },
    refused: { finish: 'content_filter' },
    cut: { finish: 'length' },
    start: startBox,
  },
}

/** One turn with a service that replies like this; the model to fall back to says `other`. */
async function ask(wire: Wire, replies: readonly object[], other?: ScriptedReply) {
  const service = await wire.start(replies)
  onTestFinished(() => service.close())
  const fake = fakeProvider([other ?? ''])
  const fallbacks = other === undefined ? [] : [{ provider: 'fake', model: 'fake-1' }]
  const id = wire.provider.replace('custom:', '')
  const kernel = await testKernel({
    plugins: ['agent', 'budgets', wire.plugin],
    clock: virtualClock(),
    env: wire.env ?? {},
    with: [fake.plugin],
    config: {
      model: { provider: wire.provider, default: 'some-model', fallbacks },
      providers: { [id]: { base_url: service.url, ...wire.address } },
      budget: { session: { tokens: 10_000_000 } },
    },
  })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const events = await collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
  const said = (type: TurnEvent['type']) => events.filter((event) => event.type === type)
  return {
    said,
    end: events.at(-1),
    notices: said('notice').map((event) => (event.type === 'notice' ? event.text : '')),
    session,
    fake,
    asked: service.requests.map((request) => JSON.stringify((request as { body: object }).body)),
    spent: kernel.use(Budgets).spent({ sessionId: session.id }),
  }
}

describe.each(Object.entries(wires))('%s', (_, wire) => {
  test('that refuses is asked once and paid once, and the turn says who held the answer back', async () => {
    const { said, end, asked, spent, notices } = await ask(wire, [wire.refused])
    expect(asked).toHaveLength(1)
    expect(spent.modelCalls).toBe(1)
    expect(spent).not.toHaveProperty('unsettled')
    expect(said('error')).toMatchObject([{ code: 'MODEL_FILTERED', message: expect.stringMatching(wire.label) }])
    expect(notices).toEqual([])
    expect(end).toMatchObject({ type: 'turn.end', reason: 'failed' })
  })

  test('that refuses after it thought is not asked again either', async () => {
    const { asked, said } = await ask(wire, [{ reasoning: 'Hm. May I?', ...wire.refused }])
    expect(asked).toHaveLength(1)
    expect(said('error')).toMatchObject([{ code: 'MODEL_FILTERED' }])
  })

  test('that refuses gives the question to the next model, and says so', async () => {
    const { end, asked, spent, notices, session } = await ask(wire, [wire.refused], 'from the other')
    expect(asked).toHaveLength(1)
    expect(spent.modelCalls).toBe(2)
    expect(notices).toEqual([expect.stringMatching(/held the answer of some-model back.*Switching to fake-1/)])
    expect(session.messages().at(-1)).toMatchObject({ role: 'assistant', text: 'from the other' })
    expect(end).toMatchObject({ reason: 'completed' })
  })

  test('that stops its answer in the middle keeps what was shown and says that the rest was held back', async () => {
    const { end, asked, fake, notices, session } = await ask(wire, [{ text: 'Half', ...wire.refused }], 'never asked')
    expect(asked).toHaveLength(1)
    expect(fake.requests).toEqual([])
    expect(notices).toEqual([expect.stringMatching(/^The answer was held back from here on/)])
    expect(session.messages().at(-1)).toMatchObject({ role: 'assistant', text: 'Half' })
    expect(end).toMatchObject({ reason: 'completed' })
  })

  test('whose limit is used up by thinking is told so and asked once more, never a third time', async () => {
    const { said, asked, spent, notices } = await ask(wire, [{ reasoning: 'Hm. Hm. Hm.', ...wire.cut }])
    expect(asked).toHaveLength(2)
    expect(asked[1]).toContain('Think less')
    expect(spent.modelCalls).toBe(2)
    expect(notices).toEqual([expect.stringMatching(/^Thinking used up the output limit.*Asking again/)])
    expect(said('error')).toMatchObject([{ code: 'MODEL_CUT', message: expect.stringMatching(/^Thinking used up/) }])
  })

  test('whose limit ends inside of a call says that, and takes the answer of the second asking', async () => {
    const call = { name: 'write_file', arguments: '{"path": "a' }
    const { end, asked, notices, session } = await ask(wire, [{ calls: [call], ...wire.cut }, { text: 'Shorter.' }])
    expect(asked).toHaveLength(2)
    expect(notices).toEqual([expect.stringMatching(/call.*Asking again/)])
    expect(session.messages().at(-1)).toMatchObject({ text: 'Shorter.' })
    expect(end).toMatchObject({ reason: 'completed' })
  })
})

test('a prompt that Gemini does not even take counts as held back', async () => {
  const gemini = wires['Gemini'] as Wire
  const { asked, said } = await ask(gemini, [{ blocked: 'PROHIBITED_CONTENT' }])
  expect(asked).toHaveLength(1)
  expect(said('error')).toMatchObject([{ code: 'MODEL_FILTERED' }])
})
