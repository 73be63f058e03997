/**
 * Streams of `:streamGenerateContent`, written by hand after https://ai.google.dev/api/generate-content and the types of
 * `@google/genai`: what does not have their form does not compile.
 */
import type { GenerateContentResponse } from '@google/genai'
import type { Recording, Wire } from '../../../../support/replay.ts'

type Chunk = Wire<
  Pick<GenerateContentResponse, 'candidates' | 'usageMetadata' | 'promptFeedback' | 'modelVersion' | 'responseId'>
>
type Part = NonNullable<NonNullable<NonNullable<Chunk['candidates']>[number]['content']>['parts']>[number]
type Finish = NonNullable<Chunk['candidates']>[number]['finishReason']

function chunk(parts: readonly Part[], finishReason?: Finish): Chunk {
  const content = { role: 'model', parts }
  return {
    candidates: [{ content, index: 0, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata: { promptTokenCount: 13, candidatesTokenCount: 20, thoughtsTokenCount: 5, totalTokenCount: 38 },
    modelVersion: 'gemini-3-pro',
    responseId: 'r1',
  }
}

const counted = { type: 'usage', usage: { input: 13, output: 25, reasoning: 5 } } as const
const carry = {
  provider: 'gemini',
  data: {
    model: 'gemini-3-pro',
    pieces: [
      { type: 'text', length: 9 },
      { type: 'call', id: 'fc_1', signature: 'c2lnbmVk' },
      { type: 'call', id: 'new' },
    ],
  },
}
const blocked: Chunk = {
  promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
  usageMetadata: { promptTokenCount: 13 },
}

/** Counts come with the last piece only, and the signature of a text with an empty one. */
const late: readonly Chunk[] = [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'Hm.', thought: true }] }, index: 0 }] },
  { candidates: [{ content: { role: 'model', parts: [{ text: 'Yes.' }] }, index: 0 }] },
  chunk([{ text: '', thoughtSignature: 'c2lnbmVk' }], 'STOP'),
]

export const recordings: readonly Recording[] = [
  {
    name: 'text of all alphabets',
    events: [chunk([{ text: 'Grüße, ' }]), chunk([{ text: '世界 👋🏽' }]), chunk([{ text: '' }], 'STOP')],
    expected: [{ type: 'text', text: 'Grüße, 世界 👋🏽' }, counted, { type: 'end', reason: 'stop' }],
  },
  {
    name: 'thoughts, text and two calls with a signature',
    events: [
      chunk([{ text: '**Looking**', thought: true }]),
      chunk([{ text: 'One ' }]),
      chunk([{ text: 'look.' }]),
      chunk([
        { functionCall: { id: 'fc_1', name: 'get_weather', args: { city: 'Köln' } }, thoughtSignature: 'c2lnbmVk' },
        { functionCall: { name: 'get_weather' } },
      ]),
      chunk([], 'STOP'),
    ],
    expected: [
      { type: 'reasoning', text: '**Looking**' },
      { type: 'text', text: 'One look.' },
      { type: 'tool-call', call: { id: 'fc_1', name: 'get_weather', input: { city: 'Köln' } } },
      { type: 'tool-call', call: { id: 'new', name: 'get_weather', input: {} } },
      counted,
      { type: 'end', reason: 'tool-calls', carry },
    ],
  },
  {
    name: 'counts and a signature with the last piece',
    events: late,
    expected: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
      counted,
      {
        type: 'end',
        reason: 'stop',
        carry: {
          provider: 'gemini',
          data: {
            model: 'gemini-3-pro',
            pieces: [
              { type: 'text', length: 4 },
              { type: 'text', length: 0, signature: 'c2lnbmVk' },
            ],
          },
        },
      },
    ],
  },
  {
    name: 'an answer that was used up by thinking',
    events: [chunk([{ text: 'Hm. Hm.', thought: true }]), chunk([], 'MAX_TOKENS')],
    expected: [{ type: 'reasoning', text: 'Hm. Hm.' }, counted, { type: 'end', reason: 'length' }],
  },
  {
    name: 'an answer that repeats what others wrote',
    events: [chunk([{ text: 'To be' }]), chunk([], 'RECITATION')],
    expected: [{ type: 'text', text: 'To be' }, counted, { type: 'end', reason: 'filtered' }],
  },
  {
    name: 'a prompt that is held back',
    events: [blocked],
    expected: [
      { type: 'usage', usage: { input: 13 } },
      { type: 'end', reason: 'filtered' },
    ],
  },
  {
    name: 'an answer that is held back in the middle',
    events: [chunk([{ text: 'Half' }]), chunk([], 'SAFETY')],
    expected: [{ type: 'text', text: 'Half' }, counted, { type: 'end', reason: 'filtered' }],
  },
  {
    name: 'an error in the middle',
    events: [chunk([{ text: 'Half' }]), { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }],
    error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' },
  },
]
