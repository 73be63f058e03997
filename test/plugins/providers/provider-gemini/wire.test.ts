import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { type ProviderBlock, toProviderMetadata } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { requestBody } from '../../../../plugins/providers/provider-gemini/wire.ts'
import { request } from '../../../support/ask-model.ts'
import { conversation } from '../../../support/conversations.ts'
import { geminiComplaint } from '../../../support/gemini-server.ts'

function createBody(more: Parameters<typeof request>[0]) {
  return JSON.parse(requestBody(request(more)))
}

test('system texts become the instruction, limits the configuration', () => {
  const messages: Message[] = [
    { role: 'system', text: 'Be kind.' },
    { role: 'user', text: 'Hi' },
    { role: 'system', text: 'Be short.' },
  ]
  expect(createBody({ messages, maxOutputTokens: 5 })).toEqual({
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
  expect(createBody({ messages, model: 'gemini-2.5-pro' }).contents).toEqual([
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
  const listSignatures = (model: string, pieces: readonly ProviderBlock[] = [], author = model) => {
    const carry = toProviderMetadata({ provider: 'gemini', model: author }, pieces)
    const messages: Message[] = [
      { role: 'user', text: 'Go' },
      { role: 'assistant', text: '', toolCalls, ...(carry && { carry }) },
    ]
    return createBody({ messages, model }).contents[1].parts.map(
      (part: { thoughtSignature?: string }) => part.thoughtSignature,
    )
  }
  const signed: ProviderBlock[] = [
    { type: 'call', id: 'a', signature: 'sig' },
    { type: 'call', id: 'b' },
  ]
  const standIn = 'skip_thought_signature_validator'
  expect(listSignatures('gemini-3-pro', signed)).toEqual(['sig', undefined])
  expect(listSignatures('gemini-3-pro')).toEqual([standIn, undefined])
  expect(listSignatures('gemini-3-pro', signed, 'gemini-3-flash')).toEqual([standIn, undefined])
  expect(listSignatures('gemini-2.5-flash')).toEqual([undefined, undefined])
})

test('every part of an answer goes back with its own signature, an empty one too', () => {
  const pieces: ProviderBlock[] = [
    { type: 'text', length: 5 },
    { type: 'text', length: 0, signature: 'one' },
    { type: 'image', signature: 'two' },
    { type: 'call', id: 'a', signature: 'three' },
    { type: 'text', length: 4, signature: 'four' },
  ]
  const images = [{ mediaType: 'image/png', data: 'AAAA' }]
  const toolCalls = [{ id: 'a', name: 't', input: {} }]
  const answer = (text: string): Message => {
    const carry = toProviderMetadata({ provider: 'gemini', model: 'gemini-3-pro' }, pieces)
    return { role: 'assistant', text, images, toolCalls, ...(carry && { carry }) }
  }
  const createParts = (text: string) =>
    createBody({ model: 'gemini-3-pro', messages: [{ role: 'user', text: 'Go' }, answer(text)] }).contents[1].parts
  const inlineData = { mimeType: 'image/png', data: 'AAAA' }
  const call = { functionCall: { id: 'a', name: 't', args: {} }, thoughtSignature: 'three' }
  expect(createParts('I seeit. ')).toEqual([
    { text: 'I see' },
    { text: '', thoughtSignature: 'one' },
    { inlineData, thoughtSignature: 'two' },
    call,
    { text: 'it. ', thoughtSignature: 'four' },
  ])
  expect(createParts('changed'), 'a text that was changed').toEqual([
    { text: 'changed' },
    { inlineData, thoughtSignature: 'two' },
    call,
  ])
})

test.for([
  ['gemini-3-pro-preview', 'none', { thinkingLevel: 'low', includeThoughts: false }],
  ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'low', includeThoughts: true }],
  ['gemini-3.1-pro-preview', 'medium', { thinkingLevel: 'medium', includeThoughts: true }],
  ['gemini-3-flash-preview', 'none', { thinkingLevel: 'minimal', includeThoughts: false }],
  ['gemini-3.8-flash', 'none', { thinkingLevel: 'low', includeThoughts: false }],
  ['gemini-3.8-flash', 'xhigh', { thinkingLevel: 'high', includeThoughts: true }],
  ['gemini-2.5-flash', 'none', { thinkingBudget: 0, includeThoughts: false }],
  ['gemini-2.5-pro', 'none', { thinkingBudget: 128, includeThoughts: false }],
  ['gemini-2.5-pro', 'xhigh', { thinkingBudget: 24_576, includeThoughts: true }],
  ['gemini-2.5-flash-lite', 'low', { thinkingBudget: 2048, includeThoughts: true }],
  ['gemini-2.5-flash', undefined, undefined],
  ['gemini-2.5-flash-image', 'high', undefined],
  ['gemini-2.0-flash', 'high', undefined],
  ['gemma-3-27b-it', 'high', undefined],
] as const)("%s that is to think %s is told so by Google's words", ([model, reasoning, expected]) => {
  expect(createBody({ model, ...(reasoning && { reasoning }) }).generationConfig?.thinkingConfig).toEqual(expected)
})

test('a small limit leaves room for an answer besides the thoughts', () => {
  const getBudget = (model: string, maxOutputTokens: number) =>
    createBody({ model, reasoning: 'high', maxOutputTokens }).generationConfig.thinkingConfig
  expect(getBudget('gemini-2.5-flash', 1000)).toEqual({ thinkingBudget: 750, includeThoughts: true })
  expect(getBudget('gemini-2.5-flash-lite', 500)).toEqual({ thinkingBudget: 0, includeThoughts: false })
})

test('a result that went wrong is told as an error, and a picture that no one sees in words', () => {
  const messages: Message[] = [
    { role: 'user', text: 'Go', images: [{ mediaType: 'image/gif', data: 'x' }] },
    { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 't', input: {} }] },
    { role: 'tool', callId: 'a', text: 'no such file', failed: true },
  ]
  const [asked, , told] = createBody({ messages, model: 'gemini-2.5-pro' }).contents
  expect(asked.parts[1]).toEqual({ text: '[a picture of type image/gif, which this model cannot see]' })
  expect(told.parts).toEqual([{ functionResponse: { name: 't', response: { error: 'no such file' } } }])
})

test('tools are declared with a schema that Gemini takes, and without one when they need nothing', () => {
  const parameters = { $schema: 'x', type: 'object', properties: { a: { const: 'b' } }, additionalProperties: false }
  const tools = [
    { name: 'one', description: 'Does.', parameters },
    { name: 'two', description: 'Does, too.', parameters: { type: 'object', properties: {} } },
  ]
  const wire = { type: 'object', properties: { a: { type: 'string', enum: ['b'] } } }
  expect(createBody({ tools }).tools).toEqual([
    {
      functionDeclarations: [
        { name: 'one', description: 'Does.', parameters: wire },
        { name: 'two', description: 'Does, too.' },
      ],
    },
  ])
})

test('a conversation that the model began gets a first word of the user', () => {
  expect(createBody({ messages: [{ role: 'assistant', text: 'Hello.' }] }).contents[0]).toEqual({
    role: 'user',
    parts: [{ text: '(continued)' }],
  })
})

test('whatever was said, Gemini takes the request', () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      expect(geminiComplaint(createBody({ messages, model: 'gemini-3-pro' }), 'gemini-3-pro')).toBeUndefined()
    }),
  )
})
