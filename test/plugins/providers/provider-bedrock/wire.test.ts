import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { toProviderMetadata } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { requestBody } from '../../../../plugins/providers/provider-bedrock/wire.ts'
import { request } from '../../../support/ask-model.ts'
import { bedrockComplaint, SIGNATURE } from '../../../support/bedrock-server.ts'
import { conversation } from '../../../support/conversations.ts'

type Block = Record<string, unknown>
interface Body {
  readonly system?: readonly Block[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[]
  readonly toolConfig?: { readonly tools: readonly Block[] }
  readonly inferenceConfig?: object
  readonly additionalModelRequestFields?: object
}

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const point = { cachePoint: { type: 'default' } }
const tool = { name: 't', description: 'Does.', parameters: { $schema: 'x', type: 'object', properties: {} } }

function createBody(more: Parameters<typeof request>[0]): Body {
  return JSON.parse(requestBody(request(more))) as Body
}

test('whatever was said, Bedrock takes the request', () => {
  fc.assert(
    fc.property(conversation, fc.constantFrom('meta.llama3', claude), (messages, model) => {
      expect(bedrockComplaint(createBody({ messages, model, tools: [tool] }))).toBeUndefined()
      expect(bedrockComplaint(createBody({ messages, model }))).toBeUndefined()
    }),
  )
})

test('cache points stand behind the system text and the last three messages, for models that know them', () => {
  const messages: Message[] = [{ role: 'system', text: 'Be kind.' }]
  for (let turn = 0; turn < 4; turn++)
    messages.push({ role: 'user', text: `${turn}?` }, { role: 'assistant', text: `${turn}!` })
  const { system, messages: wire, toolConfig } = createBody({ messages, model: claude, tools: [tool] })
  expect(system).toEqual([{ text: 'Be kind.' }, point])
  expect(wire.map(({ content }) => content.length)).toEqual([1, 1, 1, 1, 1, 2, 2, 2])
  const spec = { name: 't', description: 'Does.', inputSchema: { json: { type: 'object', properties: {} } } }
  expect(toolConfig?.tools).toEqual([{ toolSpec: spec }])
  expect(createBody({ model: claude, tools: [tool] }).toolConfig?.tools).toEqual([{ toolSpec: spec }, point])
  expect(createBody({ model: 'amazon.nova-pro-v1:0', tools: [tool] }).toolConfig?.tools).toEqual([{ toolSpec: spec }])
  expect(JSON.stringify(createBody({ messages, model: 'mistral.mistral-large', tools: [tool] }))).not.toContain(
    'cachePoint',
  )
})

test('pictures, results and failures of calls are told in the words of Bedrock', () => {
  const png = { mediaType: 'image/png', data: 'AAAA' }
  const id = `call:${'x'.repeat(80)}`
  const messages: Message[] = [
    { role: 'user', text: 'Look.', images: [png, { mediaType: 'image/tiff', data: 'x' }] },
    { role: 'assistant', text: '', toolCalls: [{ id, name: 'see', input: 'oops' }] },
    { role: 'tool', callId: id, text: '', images: [png], failed: true },
  ]
  const image = { image: { format: 'png', source: { bytes: 'AAAA' } } }
  const toolUseId = 'x'.repeat(64)
  expect(createBody({ messages, tools: [tool] }).messages).toEqual([
    {
      role: 'user',
      content: [{ text: 'Look.' }, image, { text: '[a picture of type image/tiff, which this model cannot see]' }],
    },
    { role: 'assistant', content: [{ toolUse: { toolUseId, name: 'see', input: { unparsed: 'oops' } } }] },
    { role: 'user', content: [{ toolResult: { toolUseId, content: [image], status: 'error' } }] },
  ])
})

test('calls of a conversation are declared when no tools are offered any more', () => {
  const messages: Message[] = [
    { role: 'user', text: 'Do.' },
    { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'see', input: {} }] },
    { role: 'tool', callId: 'a', text: '' },
  ]
  expect(createBody({ messages }).toolConfig?.tools).toMatchObject([{ toolSpec: { name: 'see' } }])
})

test.for([
  [claude, 'low', { thinking: { type: 'enabled', budget_tokens: 4096 } }, { maxTokens: 32_000 }],
  [claude, 'none', { thinking: { type: 'disabled' } }, { temperature: 0.5 }],
  [claude, undefined, undefined, { temperature: 0.5 }],
  [
    'anthropic.claude-opus-4-6-v1',
    'high',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    undefined,
  ],
  [
    'amazon.nova-2-lite-v1:0',
    'medium',
    { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } },
    { temperature: 0.5 },
  ],
  ['amazon.nova-2-lite-v1:0', 'none', { reasoningConfig: { type: 'disabled' } }, { temperature: 0.5 }],
  ['openai.gpt-oss-120b-1:0', 'xhigh', { reasoning_effort: 'high' }, { temperature: 0.5 }],
  ['meta.llama3', 'high', undefined, { temperature: 0.5 }],
] as const)('on Bedrock %s that is to think %s is told so', ([model, reasoning, fields, inference]) => {
  const body = createBody({ model, temperature: 0.5, ...(reasoning && { reasoning }) })
  expect(body.additionalModelRequestFields).toEqual(fields)
  expect(body.inferenceConfig).toEqual(inference)
})

test('thoughts go back to the model on Bedrock that had them', () => {
  const pieces = [
    { type: 'thinking', thinking: 'Hm.', signature: SIGNATURE },
    { type: 'redacted_thinking', data: 'eHl6' },
    { type: 'text', length: 4 },
    { type: 'call', id: 'a' },
  ] as const
  const carry = toProviderMetadata({ provider: 'bedrock', model: claude }, pieces)
  const messages: Message[] = [
    { role: 'user', text: 'Do.' },
    { role: 'assistant', text: 'Yes.', toolCalls: [{ id: 'a', name: 't', input: {} }], ...(carry && { carry }) },
    { role: 'tool', callId: 'a', text: 'done' },
  ]
  const body = createBody({ model: claude, reasoning: 'low', messages })
  expect(body.messages[1]?.content).toEqual([
    { reasoningContent: { reasoningText: { text: 'Hm.', signature: SIGNATURE } } },
    { reasoningContent: { redactedContent: 'eHl6' } },
    { text: 'Yes.' },
    { toolUse: { toolUseId: 'a', name: 't', input: {} } },
    point,
  ])
  expect(body.additionalModelRequestFields).toMatchObject({ thinking: { type: 'enabled' } })
  const other = createBody({ model: 'anthropic.claude-opus-4-5-20251101-v1:0', reasoning: 'low', messages })
  expect(JSON.stringify(other)).not.toContain('reasoningContent')
  expect(other.additionalModelRequestFields, 'thinking cannot begin between calls and results').toBeUndefined()
})
