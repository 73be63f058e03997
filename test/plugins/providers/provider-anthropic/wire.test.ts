import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { type ModelRequest, type ProviderBlock, toProviderMetadata } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { messagesCall } from '../../../../plugins/providers/provider-anthropic/call.ts'
import { outputLimit } from '../../../../plugins/providers/provider-anthropic/output-limit.ts'
import { type Vendor, vendors } from '../../../../plugins/providers/provider-anthropic/vendors.ts'
import { requestBody } from '../../../../plugins/providers/provider-anthropic/wire.ts'
import { anthropicComplaint, SIGNATURE } from '../../../support/anthropic-server.ts'
import { request } from '../../../support/ask-model.ts'
import { conversation } from '../../../support/conversations.ts'

interface Body {
  readonly max_tokens: number
  readonly temperature?: number
  readonly thinking?: object
  readonly output_config?: object
  readonly system?: readonly object[]
  readonly tools?: readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Record<string, unknown>[] }[]
}

const [anthropic, kimi, minimax] = vendors as unknown as [Vendor, Vendor, Vendor]

function createBody(more: Parameters<typeof request>[0], vendor = anthropic, cacheTtl: '5m' | '1h' = '5m'): Body {
  return JSON.parse(requestBody(request(more), vendor, { cache_ttl: cacheTtl })) as Body
}

const mark = { cache_control: { type: 'ephemeral' } }

test('cache marks stand on the system text and the last three messages only', () => {
  const messages: Message[] = [{ role: 'system', text: 'Be kind.' }]
  for (let turn = 0; turn < 4; turn++)
    messages.push({ role: 'user', text: `${turn}?` }, { role: 'assistant', text: `${turn}!` })
  const { system, messages: wire } = createBody({ messages, tools: [{ name: 't', description: 'T.', parameters: {} }] })
  expect(system).toEqual([{ type: 'text', text: 'Be kind.', ...mark }])
  const marked = wire.map(({ content }) => content.some((block) => block['cache_control'] !== undefined))
  expect(marked).toEqual([false, false, false, false, false, true, true, true])
})

test('without a system text the tools carry the mark', () => {
  const tool = { name: 't', description: 'Does.', parameters: { $schema: 'x', type: 'object', properties: {} } }
  const { system, tools } = createBody({ tools: [tool, tool] })
  const wire = { name: 't', description: 'Does.', input_schema: { type: 'object', properties: {} } }
  expect({ system, tools }).toEqual({ system: undefined, tools: [wire, { ...wire, ...mark }] })
})

test('results of tools stand together, with their pictures, behind their calls', () => {
  const png = { mediaType: 'image/png', data: 'AAAA' }
  const messages: Message[] = [
    { role: 'user', text: 'Look.', images: [png, { mediaType: 'image/tiff', data: 'x' }] },
    {
      role: 'assistant',
      text: '',
      reasoning: 'never sent back',
      toolCalls: [
        { id: 'a:1', name: 'see', input: {} },
        { id: 'b', name: 'see', input: 'oops' },
      ],
    },
    { role: 'tool', callId: 'a:1', text: '', images: [png] },
    { role: 'tool', callId: 'b', text: 'nothing' },
    { role: 'user', text: 'And?' },
  ]
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  expect(createBody({ messages }).messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        picture,
        { type: 'text', text: '[a picture of type image/tiff, which this model cannot see]', ...mark },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a_1', name: 'see', input: {} },
        { type: 'tool_use', id: 'b', name: 'see', input: { unparsed: 'oops' }, ...mark },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a_1', content: [picture] },
        { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'nothing' }] },
        { type: 'text', text: 'And?', ...mark },
      ],
    },
  ])
})

test('a conversation that begins with the model, or with nothing said, is one that the service takes', () => {
  const messages: Message[] = [
    { role: 'user', text: ' ' },
    { role: 'assistant', text: 'Hello.' },
  ]
  expect(createBody({ messages }).messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('the same request gives the same bytes', () => {
  const again = request({ messages: [{ role: 'user', text: 'Hi' }], tools: [] })
  expect(createBody(again)).toEqual(createBody(again))
  expect(requestBody(again, anthropic, { cache_ttl: '5m' })).toBe(requestBody(again, anthropic, { cache_ttl: '5m' }))
})

test.for([
  ['claude-3-opus-20240229', 4096],
  ['claude-3-5-sonnet-latest', 8192],
  ['claude-opus-4-20250514', 32_000],
  ['claude-opus-4-1-20250805', 32_000],
  ['claude-opus-4-5-20251101', 64_000],
  ['claude-sonnet-4-5', 64_000],
  ['claude-next', 32_000],
] as const)('%s may write %i tokens unless less is asked for', ([model, limit]) => {
  expect(outputLimit(model)).toBe(limit)
  expect(createBody({ model }).max_tokens).toBe(limit)
  expect(createBody({ model, maxOutputTokens: 5 }).max_tokens).toBe(5)
})

test('whatever was said, the service takes the request', () => {
  const tools = [{ name: 't', description: 'T.', parameters: { type: 'object' } }]
  fc.assert(
    fc.property(conversation, (messages) => {
      expect(anthropicComplaint(createBody({ messages, tools }))).toBeUndefined()
    }),
  )
})

test('what was read is kept for an hour when the config says so', () => {
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  expect(createBody({}, anthropic, '1h').messages[0]?.content[0]).toMatchObject(hour)
})

test.for([
  ['claude-3-5-sonnet-latest', 'high', undefined, undefined],
  ['claude-3-7-sonnet-20250219', 'low', { type: 'enabled', budget_tokens: 4096 }, undefined],
  ['claude-opus-4-20250514', 'xhigh', { type: 'enabled', budget_tokens: 24_000 }, undefined],
  ['claude-sonnet-4-5', 'xhigh', { type: 'enabled', budget_tokens: 32_768 }, undefined],
  ['claude-sonnet-4-5', 'none', { type: 'disabled' }, undefined],
  ['claude-sonnet-4-5', undefined, undefined, undefined],
  ['claude-sonnet-4-6', 'xhigh', { type: 'adaptive' }, { effort: 'high' }],
  ['claude-opus-4-7', 'xhigh', { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
  ['claude-opus-4-7', undefined, undefined, undefined],
  ['claude-opus-4-7', 'none', { type: 'disabled' }, undefined],
  ['claude-opus-5-5', 'none', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
  ['claude-opus-5-5', undefined, { type: 'adaptive', display: 'summarized' }, undefined],
  ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
  ['claude-haiku-5-5', 'none', { type: 'disabled' }, undefined],
  ['claude-fable-5', 'none', { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
] as const)('%s that is to think %s is told so in its own way', ([model, reasoning, thinking, effort]) => {
  const body = createBody({ model, ...(reasoning && { reasoning }), temperature: 0.5 })
  expect({ thinking: body.thinking, effort: body.output_config }).toEqual({ thinking, effort })
  const isFixed = thinking?.type === 'enabled' || /4-7|[a-z]-5|4-6/.test(model)
  expect(body.temperature).toBe(isFixed ? undefined : 0.5)
})

test('other services are told to think by a budget, or as they do by themselves', () => {
  expect(createBody({ model: 'MiniMax-M2', reasoning: 'low' }, minimax).thinking).toMatchObject({ budget_tokens: 4096 })
  expect(createBody({ model: 'kimi-for-coding', reasoning: 'low' }, kimi).thinking).toBeUndefined()
})

test('with little room for an answer nothing is thought', () => {
  expect(createBody({ model: 'claude-sonnet-4-5', reasoning: 'high', maxOutputTokens: 500 }).thinking).toEqual({
    type: 'disabled',
  })
})

const thought: ProviderBlock = { type: 'thinking', thinking: 'Hm.', signature: SIGNATURE }
const hidden: ProviderBlock = { type: 'redacted_thinking', data: 'xyz' }

/** A question, an answer that thought before each of two calls, and the results. */
function carried(model: string, provider = 'anthropic', text = 'One. Two.'): Message[] {
  const carry = toProviderMetadata({ provider, model }, [
    thought,
    { type: 'text', length: 4 },
    { type: 'call', id: 'a' },
    hidden,
    { type: 'text', length: 5 },
    { type: 'call', id: 'b' },
  ])
  const toolCalls = ['a', 'b'].map((id) => ({ id, name: 't', input: {} }))
  return [
    { role: 'user', text: 'Do.' },
    { role: 'assistant', text, toolCalls, ...(carry && { carry }) },
    { role: 'tool', callId: 'a', text: 'one' },
    { role: 'tool', callId: 'b', text: 'no such file', failed: true },
  ]
}

function listTypes(messages: readonly Message[], more: Parameters<typeof request>[0] = {}): unknown[] {
  const model = 'claude-sonnet-4-5'
  return (
    createBody({ model, reasoning: 'low', messages, ...more }).messages[1]?.content.map((each) => each['type']) ?? []
  )
}

test('thoughts go back unchanged and in their place, to the same model of the same provider only', () => {
  const model = 'claude-sonnet-4-5'
  const body = createBody({ model, reasoning: 'low', messages: carried(model) })
  expect(body.messages[1]?.content).toEqual([
    thought,
    { type: 'text', text: 'One.' },
    { type: 'tool_use', id: 'a', name: 't', input: {} },
    hidden,
    { type: 'text', text: ' Two.' },
    { type: 'tool_use', id: 'b', name: 't', input: {}, ...mark },
  ])
  expect(anthropicComplaint(body)).toBeUndefined()
  const plain = ['text', 'tool_use', 'tool_use']
  expect(listTypes(carried('claude-opus-4-5'))).toEqual(plain)
  expect(listTypes(carried(model, 'bedrock'))).toEqual(plain)
  expect(listTypes(carried(model), { reasoning: 'none' })).toEqual(plain)
})

test('when the text was changed the thoughts still come in their order', () => {
  expect(listTypes(carried('claude-sonnet-4-5', 'anthropic', 'Cut.'))).toEqual([
    'thinking',
    'text',
    'tool_use',
    'redacted_thinking',
    'tool_use',
  ])
})

test('between calls and results thinking does not begin when the answer came from someone else', () => {
  const body = createBody({ model: 'claude-sonnet-4-5', reasoning: 'high', messages: carried('gpt', 'openai') })
  expect(body.thinking).toBeUndefined()
  expect(anthropicComplaint(body)).toBeUndefined()
})

test('a carry that someone has edited is no reason to fail', () => {
  for (const data of [
    null,
    'x',
    { model: 'claude-sonnet-4-5' },
    { model: 'claude-sonnet-4-5', pieces: [null, 7, {}] },
  ]) {
    const messages: Message[] = [
      { role: 'user', text: 'Hi' },
      { role: 'assistant', text: 'Ho', carry: { provider: 'anthropic', data } },
    ]
    expect(listTypes(messages)).toEqual(['text'])
  }
})

test('a call that went wrong is told as one', () => {
  const results = createBody({ messages: carried('claude-sonnet-4-5') }).messages[2]?.content
  expect(results?.map((each) => each['is_error'])).toEqual([undefined, true])
})

function easier(asked: ModelRequest, complaint: string): ModelRequest | undefined {
  const key = { value: 'k', variable: 'ANTHROPIC_API_KEY' }
  const service = { baseUrl: 'http://127.0.0.1:9', isLoopback: true, key, setting: undefined }
  const call = messagesCall({ vendor: anthropic, service, request: asked, config: { cache_ttl: '5m' } })
  return call.easier?.(asked, complaint)
}

test('what is complained about is left out, and nothing else', () => {
  const model = 'claude-sonnet-4-5'
  const signature = 'messages.1.content.0: Invalid `signature` in `thinking` block'
  expect(easier(request({ model }), signature)).toBeUndefined()
  const carrying = request({ model, reasoning: 'low', messages: carried(model) })
  const bare = easier(carrying, signature)
  expect(bare?.reasoning).toBe('low')
  expect(bare && listTypes(bare.messages)).toEqual(['text', 'tool_use', 'tool_use'])
  const unthinking = easier(carrying, '"thinking.type.enabled" is not supported for this model.')
  expect(unthinking?.reasoning).toBeUndefined()
  expect(unthinking?.messages).toEqual(carrying.messages)
  expect(easier(carrying, 'max_tokens: too large')).toBeUndefined()
})
