import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { requestBody } from '../../../plugins/provider-gemini/wire.ts'
import { request } from '../../support/ask-model.ts'
import { conversation } from '../../support/conversations.ts'
import { geminiComplaint } from '../../support/gemini-server.ts'

const none: ReadonlyMap<string, string> = new Map()

function bodyOf(more: Parameters<typeof request>[0], signatures = none) {
  return JSON.parse(requestBody(request(more), signatures))
}

test('system texts become the instruction, limits the configuration', () => {
  const messages: Message[] = [
    { role: 'system', text: 'Be kind.' },
    { role: 'user', text: 'Hi' },
    { role: 'system', text: 'Be short.' },
  ]
  expect(bodyOf({ messages, maxOutputTokens: 5 })).toEqual({
    systemInstruction: { parts: [{ text: 'Be kind.\n\nBe short.' }] },
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: { maxOutputTokens: 5 },
  })
})

test('results of tools stand together before their pictures, by the name of their tool', () => {
  const png = { mediaType: 'image/png', data: 'AAAA' }
  const messages: Message[] = [
    { role: 'user', text: 'Look.', images: [png] },
    {
      role: 'assistant',
      text: '',
      reasoning: 'never sent back',
      toolCalls: [
        { id: 'a', name: 'see', input: { n: 1 } },
        { id: 'b', name: 'hear', input: 'oops' },
      ],
    },
    { role: 'tool', callId: 'a', text: 'red', images: [png] },
    { role: 'tool', callId: 'b', text: 'nothing' },
  ]
  const inlineData = { mimeType: 'image/png', data: 'AAAA' }
  expect(bodyOf({ messages, model: 'gemini-2.5-pro' }).contents).toEqual([
    { role: 'user', parts: [{ text: 'Look.' }, { inlineData }] },
    {
      role: 'model',
      parts: [
        { functionCall: { name: 'see', args: { n: 1 } } },
        { functionCall: { name: 'hear', args: { unparsed: 'oops' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'see', response: { output: 'red' } } },
        { functionResponse: { name: 'hear', response: { output: 'nothing' } } },
        { inlineData },
      ],
    },
  ])
})

test('calls carry the signature they came with, the first of unknown ones a stand-in where one is needed', () => {
  const toolCalls = [
    { id: 'a', name: 't', input: {} },
    { id: 'b', name: 't', input: {} },
  ]
  const messages: Message[] = [
    { role: 'user', text: 'Go' },
    { role: 'assistant', text: '', toolCalls },
  ]
  const signaturesOf = (model: string, known = none) =>
    bodyOf({ messages, model }, known).contents[1].parts.map(
      (part: { thoughtSignature?: string }) => part.thoughtSignature,
    )
  expect(signaturesOf('gemini-3-pro', new Map([['a', 'sig']]))).toEqual(['sig', undefined])
  expect(signaturesOf('gemini-3-pro')).toEqual(['skip_thought_signature_validator', undefined])
  expect(signaturesOf('gemini-2.5-flash')).toEqual([undefined, undefined])
})

test('tools are declared with a schema that Gemini takes, and without one when they need nothing', () => {
  const parameters = { $schema: 'x', type: 'object', properties: { a: { const: 'b' } }, additionalProperties: false }
  const tools = [
    { name: 'one', description: 'Does.', parameters },
    { name: 'two', description: 'Does, too.', parameters: { type: 'object', properties: {} } },
  ]
  const wire = { type: 'object', properties: { a: { type: 'string', enum: ['b'] } } }
  expect(bodyOf({ tools }).tools).toEqual([
    {
      functionDeclarations: [
        { name: 'one', description: 'Does.', parameters: wire },
        { name: 'two', description: 'Does, too.' },
      ],
    },
  ])
})

test('a conversation that the model began gets a first word of the user', () => {
  expect(bodyOf({ messages: [{ role: 'assistant', text: 'Hello.' }] }).contents[0]).toEqual({
    role: 'user',
    parts: [{ text: '(continued)' }],
  })
})

test('whatever was said, Gemini takes the request', () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      expect(geminiComplaint(bodyOf({ messages, model: 'gemini-3-pro' }), 'gemini-3-pro')).toBeUndefined()
    }),
  )
})
