import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-bedrock/assemble.ts'

function assembleEvents(payloads: readonly (readonly [string, object])[]) {
  const answer = new Answer({ provider: 'bedrock', model: 'm', newId: () => 'new' })
  for (const [type, payload] of payloads) {
    const headers = { ':message-type': 'event', ':event-type': type }
    answer.add(JSON.stringify({ headers, payload: JSON.stringify(payload) }))
  }
  return answer.end()
}

const delta = (contentBlockIndex: number, given: object) =>
  ['contentBlockDelta', { contentBlockIndex, delta: given }] as const

test('pieces of base64 that are padded are put together as bytes', () => {
  const [one, two] = ['a', 'bc'].map((text) => Buffer.from(text).toString('base64'))
  const whole = Buffer.from('abc').toString('base64')
  const events = assembleEvents([
    delta(0, { reasoningContent: { redactedContent: one } }),
    delta(0, { reasoningContent: { redactedContent: two } }),
    ['contentBlockStart', { contentBlockIndex: 1, start: { image: { format: 'webp' } } }],
    delta(1, { image: { source: { bytes: one } } }),
    delta(1, { image: { source: { bytes: two } } }),
    ['contentBlockStop', { contentBlockIndex: 1 }],
  ])
  expect(events).toEqual([
    { type: 'image', image: { mediaType: 'image/webp', data: whole } },
    {
      type: 'end',
      reason: 'stop',
      carry: { provider: 'bedrock', data: { model: 'm', pieces: [{ type: 'redacted_thinking', data: whole }] } },
    },
  ])
})

test('thoughts without a signature are shown and not carried', () => {
  const events = assembleEvents([
    delta(0, { reasoningContent: { text: 'Hm.' } }),
    delta(1, { text: 'Yes.' }),
    ['messageStop', { stopReason: 'end_turn' }],
  ])
  expect(events).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Yes.' },
    { type: 'end', reason: 'stop' },
  ])
})

test('events of a later version, and blocks that no one knows, are passed over', () => {
  const events = assembleEvents([
    ['mood', { delta: { text: '?' } }],
    ['contentBlockStart', { contentBlockIndex: 0, start: { citation: {} } }],
    delta(0, { citation: { title: 'A' } }),
    delta(1, { text: 'Yes.' }),
    ['metadata', {}],
  ])
  expect(events).toEqual([
    { type: 'text', text: 'Yes.' },
    { type: 'end', reason: 'stop' },
  ])
})
