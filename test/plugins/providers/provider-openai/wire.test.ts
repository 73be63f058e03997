import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { requestBody } from '../../../../plugins/providers/provider-openai/wire.ts'
import { request } from '../../../support/ask-model.ts'

function createMessages(messages: readonly Message[]): Record<string, unknown>[] {
  return JSON.parse(requestBody(request({ messages }), { limitField: 'max_tokens' })).messages
}

test('a first request has nothing but what it needs', () => {
  expect(requestBody(request(), { limitField: 'max_tokens' })).toBe(
    '{"model":"fake-model","messages":[{"role":"user","content":"Hello"}],"stream":true,"stream_options":{"include_usage":true}}',
  )
})

test('a conversation that is sent again keeps its bytes', () => {
  const tools = [{ name: 't', description: 'Does.', parameters: { type: 'object' } }]
  const again = request({ tools, maxOutputTokens: 9 })
  const first = requestBody(again, { limitField: 'max_tokens' })
  expect(requestBody(again, { limitField: 'max_tokens' })).toBe(first)
  const messages = [...again.messages, { role: 'assistant', text: 'Hi' } as const]
  const [before = ''] = first.split('],"tools"')
  expect(requestBody({ ...again, messages }, { limitField: 'max_tokens' }).startsWith(before)).toBe(true)
})

test('tools are sent without the name of their schema dialect', () => {
  const parameters = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties: {} }
  const body = requestBody(request({ tools: [{ name: 't', description: 'Does.', parameters }] }), {
    limitField: 'max_tokens',
  })
  expect(JSON.parse(body).tools).toEqual([
    { type: 'function', function: { name: 't', description: 'Does.', parameters: { type: 'object', properties: {} } } },
  ])
})

test('the output limit is in the field that the server knows', () => {
  expect(requestBody(request({ maxOutputTokens: 5 }), { limitField: 'max_tokens' })).toContain('"max_tokens":5')
  expect(requestBody(request({ maxOutputTokens: 5 }), { limitField: 'max_completion_tokens' })).toContain(
    '"max_completion_tokens":5',
  )
})

test('system texts become one message at the front', () => {
  const wire = createMessages([
    { role: 'user', text: 'Hi' },
    { role: 'system', text: 'Be kind.' },
    { role: 'system', text: 'Be brief.' },
  ])
  expect(wire).toEqual([
    { role: 'system', content: 'Be kind.\n\nBe brief.' },
    { role: 'user', content: 'Hi' },
  ])
})

test('calls and their results keep their ids', () => {
  const wire = createMessages([
    { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'read', input: { path: 'a' } }], reasoning: 'hm' },
    { role: 'tool', callId: 'c1', text: 'content' },
    { role: 'assistant', text: 'Done.' },
  ])
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }
  expect(wire).toEqual([
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'content' },
    { role: 'assistant', content: 'Done.' },
  ])
})

test('the arguments of an earlier call are always a JSON object', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.jsonValue()), (input) => {
      const [message] = createMessages([{ role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 't', input }] }])
      const [call] = (message?.['tool_calls'] ?? []) as { function: { arguments: string } }[]
      const sent = JSON.parse(call?.function.arguments ?? '')
      expect(Object.prototype.toString.call(sent)).toBe('[object Object]')
      const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
      expect(sent).toEqual(JSON.parse(JSON.stringify(isObject ? input : { unparsed: input })))
    }),
  )
})

test('images of the user are data URLs behind the text', () => {
  const images = [{ mediaType: 'image/png', data: 'AAAA' }]
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  expect(createMessages([{ role: 'user', text: 'Look', images }])[0]?.['content']).toEqual([
    { type: 'text', text: 'Look' },
    image,
  ])
  expect(createMessages([{ role: 'user', text: '', images }])[0]?.['content']).toEqual([image])
})

test('images of tools follow all results of their round', () => {
  const images = [{ mediaType: 'image/png', data: 'AAAA' }]
  const wire = createMessages([
    { role: 'tool', callId: 'a', text: 'one', images },
    { role: 'tool', callId: 'b', text: 'two', images },
    { role: 'assistant', text: 'I see.' },
    { role: 'tool', callId: 'c', text: 'three', images },
  ])
  expect(wire.map(({ role }) => role)).toEqual(['tool', 'tool', 'user', 'assistant', 'tool', 'user'])
  expect(JSON.stringify(wire[2])).toContain('tool call a')
  expect(JSON.stringify(wire[2])).toContain('tool call b')
  expect(JSON.stringify(wire[5])).toContain('tool call c')
})

test('calls of another service get ids that Mistral takes, the same ones every time', () => {
  const mistral = { limitField: 'max_tokens', usageUnasked: true, callIdLength: 9 } as const
  const messages: Message[] = [
    { role: 'user', text: 'Go' },
    {
      role: 'assistant',
      text: '',
      toolCalls: [
        { id: 'call_0123456789abcdef', name: 't', input: {} },
        { id: 'Ab3dEf7h9', name: 't', input: {} },
      ],
    },
    { role: 'tool', callId: 'call_0123456789abcdef', text: 'done' },
  ]
  const body = JSON.parse(requestBody(request({ messages }), mistral))
  const [first, second] = body.messages[1].tool_calls
  expect(first.id).toMatch(/^[a-z0-9]{9}$/)
  expect(second.id).toBe('Ab3dEf7h9')
  expect(body.messages[2].tool_call_id).toBe(first.id)
  expect(body).not.toHaveProperty('stream_options')
  const other = JSON.parse(requestBody(request({ messages }), { limitField: 'max_tokens' }))
  expect(other.messages[2].tool_call_id).toBe('call_0123456789abcdef')
})

test('reasoning behind a call is sent back to those who want it only', () => {
  const toolCalls = [{ id: 'a', name: 't', input: {} }]
  const messages: Message[] = [{ role: 'assistant', text: '', reasoning: 'Hm.', toolCalls }]
  const sent = (dialect: Parameters<typeof requestBody>[1]) =>
    JSON.parse(requestBody(request({ messages }), dialect)).messages[0].reasoning_content
  expect(sent({ limitField: 'max_tokens', reasoningField: 'reasoning_content' })).toBe('Hm.')
  expect(sent({ limitField: 'max_tokens' })).toBeUndefined()
})

test('a result that went wrong says so once', () => {
  const wire = createMessages([
    { role: 'tool', callId: 'a', text: 'no such file', failed: true },
    { role: 'tool', callId: 'b', text: 'Error: no such file', failed: true },
    { role: 'tool', callId: 'c', text: 'fine' },
  ])
  expect(wire.map(({ content }) => content)).toEqual(['Error: no such file', 'Error: no such file', 'fine'])
})

test('pictures of the model go back as pictures of the user', () => {
  const images = [{ mediaType: 'image/png', data: 'AAAA' }]
  const wire = createMessages([
    { role: 'assistant', text: 'Here.', images },
    { role: 'user', text: 'Bluer.' },
  ])
  expect(wire.map(({ role }) => role)).toEqual(['assistant', 'user', 'user'])
  expect(JSON.stringify(wire[1])).toContain('data:image/png;base64,AAAA')
})

test('carried details go back to OpenRouter only', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'sealed' }]
  const messages: Message[] = [
    { role: 'assistant', text: 'Yes.', carry: { provider: 'openrouter', data: { details } } },
  ]
  const sent = (id: string) => {
    const dialect = { id, limitField: 'max_tokens', keepsDetails: true } as const
    return JSON.parse(requestBody(request({ messages }), dialect)).messages[0].reasoning_details
  }
  expect(sent('openrouter')).toEqual(details)
  expect(sent('custom:other')).toBeUndefined()
})
