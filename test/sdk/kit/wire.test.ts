import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import type { Message } from 'svc/sdk'
import { type ChatMessage, toChatMessage, toChatMessages } from 'svc/sdk/kit/wire'
import { expect, expectTypeOf, test } from 'vitest'

const picture = { mediaType: 'image/png', data: 'AA==' }
const url = 'data:image/png;base64,AA=='

test('what is written is what the library of OpenAI takes', () => {
  expectTypeOf<ChatMessage>().toExtend<ChatCompletionMessageParam>()
})

test('a message has the form of its role', () => {
  expect(toChatMessage({ role: 'system', text: 's' })).toEqual({ role: 'system', content: 's' })
  expect(toChatMessage({ role: 'user', text: 'u' })).toEqual({ role: 'user', content: 'u' })
  expect(toChatMessage({ role: 'user', text: '', images: [picture] })).toEqual({
    role: 'user',
    content: [{ type: 'image_url', image_url: { url } }],
  })
  expect(toChatMessage({ role: 'assistant', text: 'a', reasoning: 'r' })).toEqual({ role: 'assistant', content: 'a' })
  expect(toChatMessage({ role: 'tool', callId: 'c', text: 'no such file', failed: true })).toEqual({
    role: 'tool',
    tool_call_id: 'c',
    content: 'Error: no such file',
  })
})

test('arguments of a call are always JSON of an object, and ids can be rewritten on both sides', () => {
  const forms = { id: (id: string) => id.toUpperCase() }
  const toolCalls = [
    { id: 'a', name: 'one', input: { x: 1 } },
    { id: 'b', name: 'two', input: 'not JSON' },
  ]
  expect(toChatMessage({ role: 'assistant', text: '', toolCalls }, forms)).toEqual({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'A', type: 'function', function: { name: 'one', arguments: '{"x":1}' } },
      { id: 'B', type: 'function', function: { name: 'two', arguments: '{"unparsed":"not JSON"}' } },
    ],
  })
  expect(toChatMessage({ role: 'tool', callId: 'a', text: '' }, forms)).toMatchObject({ tool_call_id: 'A' })
})

test('pictures of several tools follow their results in one message of the user', () => {
  const messages: Message[] = [
    { role: 'tool', callId: 'a', text: '1', images: [picture] },
    { role: 'tool', callId: 'b', text: '2', images: [picture] },
    { role: 'assistant', text: 'done', images: [picture] },
  ]
  expect([...toChatMessages(messages)].map(({ role }) => role)).toEqual(['tool', 'tool', 'user', 'assistant', 'user'])
})
