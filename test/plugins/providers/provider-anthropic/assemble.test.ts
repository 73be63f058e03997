import fc from 'fast-check'
import type { ModelEvent } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-anthropic/assemble.ts'
import { eventReader } from '../../../../sdk/sse.ts'
import { anthropicEvents } from '../../../support/anthropic-server.ts'
import { joined } from '../../../support/ask-model.ts'

function read(pieces: readonly Uint8Array[]): ModelEvent[] {
  const reader = eventReader()
  const answer = new Answer({ provider: 'anthropic', model: 'claude', newId: () => 'new' })
  const events = pieces.flatMap((piece) => {
    for (const data of reader.push(piece)) answer.add(data)
    return answer.take()
  })
  for (const data of reader.end()) answer.add(data)
  return [...events, ...answer.end()]
}

test('any chunking of the bytes of a message gives the same events', () => {
  const text = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 })
  const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 })
  fc.assert(
    fc.property(text, text, fc.dictionary(fc.string(), fc.jsonValue()), places, (said, thought, input, cuts) => {
      const calls = [{ id: 'toolu_1', name: 'tool', arguments: input }]
      const bytes = Buffer.from(anthropicEvents({ text: said, reasoning: thought, calls }))
      const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length]
      const events = joined(read(ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))))
      expect(events).toEqual(joined(read([bytes])))
      expect(events[0]).toEqual({ type: 'reasoning', text: thought.join('') })
      expect(events[1]).toEqual({ type: 'text', text: said.join('') })
      expect(events[2]).toMatchObject({
        type: 'tool-call',
        call: { id: 'toolu_1', input: JSON.parse(JSON.stringify(input)) },
      })
    }),
    { numRuns: 30 },
  )
})

test('a call that the output limit has cut in two is left out', () => {
  const bytes = Buffer.from(
    anthropicEvents({ text: 'So', calls: [{ name: 't', arguments: '{"path": "a' }], finish: 'max_tokens' }),
  )
  expect(read([bytes]).map(({ type }) => type)).toEqual(['text', 'usage', 'end'])
  expect(read([bytes]).at(-1)).toEqual({ type: 'end', reason: 'length' })
})

test('arguments that are no JSON are given as the text they were', () => {
  const bytes = Buffer.from(anthropicEvents({ calls: [{ name: 't', arguments: '{"path": oops' }] }))
  expect(read([bytes])[0]).toMatchObject({ type: 'tool-call', call: { input: '{"path": oops' } })
})

test('events of a later version are passed over', () => {
  const later = 'event: mood\ndata: {"type":"mood","delta":{"text":"?"}}\n\n'
  expect(read([Buffer.from(later + anthropicEvents({ text: 'Hi' }))])[0]).toEqual({ type: 'text', text: 'Hi' })
})

test('tools that the service runs itself are passed over', () => {
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
  const server = [
    event({ type: 'message_start', message: {} }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', id: 's', name: 'web' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"q":1}' } }),
    event({ type: 'content_block_start', index: 1, content_block: { type: 'web_search_tool_result', content: [] } }),
    event({ type: 'content_block_start', index: 2, content_block: { type: 'text', text: 'Found.' } }),
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
  ]
  expect(read([Buffer.from(server.join(''))])).toEqual([
    { type: 'text', text: 'Found.' },
    { type: 'end', reason: 'stop' },
  ])
})
