import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-bedrock/assemble.ts'
import { frameReader } from '../../../../plugins/providers/provider-bedrock/frames.ts'
import { exception, frame } from '../../../support/bedrock-server.ts'
import { listCuts, replay } from '../../../support/replay.ts'

/** In the form of API_runtime_ConverseStream: frames with checksums, each event padded. */
function createFrames(events: readonly (readonly [type: string, payload: object])[]): Buffer {
  return Buffer.concat(
    events.map(([type, payload]) =>
      frame(
        { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
        { ...payload, p: 'abcdefghij' },
      ),
    ),
  )
}

const start = ['messageStart', { role: 'assistant' }] as const
const meta = [
  'metadata',
  { usage: { inputTokens: 13, outputTokens: 20, totalTokens: 33 }, metrics: { latencyMs: 1 } },
] as const
const delta = (contentBlockIndex: number, piece: object) =>
  ['contentBlockDelta', { contentBlockIndex, delta: piece }] as const
const stop = (contentBlockIndex: number) => ['contentBlockStop', { contentBlockIndex }] as const
const counted = { type: 'usage', usage: { input: 13, output: 20 } }
const calls = [
  start,
  delta(0, { text: 'Grüße, ' }),
  delta(0, { text: '世界 👋🏽' }),
  stop(0),
  ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'tooluse_1', name: 'get_weather' } } }],
  delta(1, { toolUse: { input: '{"city": "Kö' } }),
  delta(1, { toolUse: { input: 'ln"}' } }),
  stop(1),
  ['contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'tooluse_2', name: 'get_weather' } } }],
  stop(2),
  ['messageStop', { stopReason: 'tool_use' }],
  meta,
] as const

test.for([
  [
    'text and two calls',
    calls,
    [
      { type: 'text', text: 'Grüße, 世界 👋🏽' },
      { type: 'tool-call', call: { id: 'tooluse_1', name: 'get_weather', input: { city: 'Köln' } } },
      { type: 'tool-call', call: { id: 'tooluse_2', name: 'get_weather', input: {} } },
      counted,
      { type: 'end', reason: 'tool-calls' },
    ],
  ],
  [
    'an answer that a guardrail stopped',
    [start, delta(0, { text: 'Blocked.' }), stop(0), ['messageStop', { stopReason: 'guardrail_intervened' }], meta],
    [{ type: 'text', text: 'Blocked.' }, counted, { type: 'end', reason: 'filtered' }],
  ],
  [
    'thoughts, some of them kept from the reader',
    [
      start,
      delta(0, { reasoningContent: { text: 'Hm.' } }),
      delta(0, { reasoningContent: { signature: 'c2lnbmVk' } }),
      stop(0),
      delta(1, { reasoningContent: { redactedContent: 'c2VhbGVk' } }),
      stop(1),
      delta(2, { text: 'Yes.' }),
      stop(2),
      ['messageStop', { stopReason: 'end_turn' }],
      meta,
    ],
    [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
      counted,
      {
        type: 'end',
        reason: 'stop',
        carry: {
          provider: 'bedrock',
          data: {
            model: 'm',
            pieces: [
              { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
              { type: 'redacted_thinking', data: 'c2VhbGVk' },
              { type: 'text', length: 4 },
            ],
          },
        },
      },
    ],
  ],
] as const)('frames of Bedrock with %s are read alike however they are cut', ([, events, expected]) => {
  for (const [way, pieces] of listCuts(createFrames(events)))
    expect(
      replay(pieces, new Answer({ provider: 'bedrock', model: 'm', newId: () => 'new' }), frameReader()),
      way,
    ).toEqual(expected)
})

test.for([
  'throttlingException',
  'modelStreamErrorException',
  'internalServerException',
  'serviceUnavailableException',
  'validationException',
] as const)('a %s of Bedrock in the middle is read alike however it is cut', (type) => {
  const bytes = Buffer.concat([createFrames([start, delta(0, { text: 'Half' })]), exception(type, 'No.')])
  for (const [way, pieces] of listCuts(bytes)) {
    const answer = new Answer({ provider: 'bedrock', model: 'm', newId: () => 'new' })
    expect(replay(pieces, answer, frameReader()), way).toEqual([{ type: 'text', text: 'Half' }])
    expect(answer.error, way).toEqual({ type, message: 'No.' })
  }
})
