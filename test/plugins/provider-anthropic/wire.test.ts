import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { outputLimit } from '../../../plugins/provider-anthropic/output-limit.ts'
import { requestBody } from '../../../plugins/provider-anthropic/wire.ts'
import { anthropicComplaint } from '../../support/anthropic-server.ts'
import { request } from '../../support/ask-model.ts'
import { conversation } from '../../support/conversations.ts'

interface Body {
  readonly max_tokens: number
  readonly system?: readonly object[]
  readonly tools?: readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Record<string, unknown>[] }[]
}

function bodyOf(more: Parameters<typeof request>[0]): Body {
  return JSON.parse(requestBody(request(more))) as Body
}

const mark = { cache_control: { type: 'ephemeral' } }

test('cache marks stand on the system text and the last three messages only', () => {
  const messages: Message[] = [{ role: 'system', text: 'Be kind.' }]
  for (let turn = 0; turn < 4; turn++)
    messages.push({ role: 'user', text: `${turn}?` }, { role: 'assistant', text: `${turn}!` })
  const { system, messages: wire } = bodyOf({ messages, tools: [{ name: 't', description: 'T.', parameters: {} }] })
  expect(system).toEqual([{ type: 'text', text: 'Be kind.', ...mark }])
  const marked = wire.map(({ content }) => content.some((block) => block['cache_control'] !== undefined))
  expect(marked).toEqual([false, false, false, false, false, true, true, true])
})

test('without a system text the tools carry the mark', () => {
  const tool = { name: 't', description: 'Does.', parameters: { $schema: 'x', type: 'object', properties: {} } }
  const { system, tools } = bodyOf({ tools: [tool, tool] })
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
  expect(bodyOf({ messages }).messages).toEqual([
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
  expect(bodyOf({ messages }).messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('the same request gives the same bytes', () => {
  const again = request({ messages: [{ role: 'user', text: 'Hi' }], tools: [] })
  expect(requestBody(again)).toBe(requestBody(again))
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
  expect(bodyOf({ model }).max_tokens).toBe(limit)
  expect(bodyOf({ model, maxOutputTokens: 5 }).max_tokens).toBe(5)
})

test('whatever was said, the service takes the request', () => {
  const tools = [{ name: 't', description: 'T.', parameters: { type: 'object' } }]
  fc.assert(
    fc.property(conversation, (messages) => {
      expect(anthropicComplaint(bodyOf({ messages, tools }))).toBeUndefined()
    }),
  )
})
