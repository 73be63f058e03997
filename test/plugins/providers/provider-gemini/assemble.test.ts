import fc from 'fast-check'
import type { ModelEvent } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-gemini/assemble.ts'
import { eventReader } from '../../../../sdk/sse.ts'
import { collectFailure, joined } from '../../../support/ask-model.ts'
import { geminiEvents } from '../../../support/gemini-server.ts'
import { startSseService } from '../../../support/sse-service.ts'
import { at } from './ask.ts'

function read(pieces: readonly Uint8Array[]): ModelEvent[] {
  const reader = eventReader()
  const answer = new Answer({ provider: 'gemini', model: 'gemini-3-pro', newId: () => 'new' })
  const events = pieces.flatMap((piece) => {
    for (const data of reader.push(piece)) answer.add(data)
    return answer.take()
  })
  for (const data of reader.end()) answer.add(data)
  return [...events, ...answer.end()]
}

test('any chunking of the bytes of contents gives the same events', () => {
  const text = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 })
  const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 })
  fc.assert(
    fc.property(text, text, fc.dictionary(fc.string(), fc.jsonValue()), places, (said, thought, input, cuts) => {
      const calls = [{ id: 'toolu_1', name: 'tool', arguments: input }]
      const bytes = Buffer.from(geminiEvents({ text: said, reasoning: thought, calls }))
      const ends = [...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length]
      const events = joined(read(ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))))
      expect(events).toEqual(joined(read([bytes])))
      expect(events[0]).toEqual({ type: 'reasoning', text: thought.join('') })
      expect(events[1]).toEqual({ type: 'text', text: said.join('') })
      expect(events[2]).toMatchObject({
        type: 'tool-call',
        call: { id: 'new', input: JSON.parse(JSON.stringify(input)) },
      })
    }),
    { numRuns: 30 },
  )
})

test('a prompt that is blocked has ended as filtered', () => {
  const blocked = `data: ${JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } })}\n\n`
  expect(read([Buffer.from(blocked)])).toEqual([{ type: 'end', reason: 'filtered' }])
})

test('ids that come twice are told apart', () => {
  const functionCall = { id: 'a', name: 't', args: {} }
  const parts = [{ functionCall }, { functionCall }]
  const chunk = `data: ${JSON.stringify({ candidates: [{ content: { parts }, finishReason: 'STOP' }] })}\n\n`
  const ids = read([Buffer.from(chunk)]).flatMap((event) => (event.type === 'tool-call' ? [event.call.id] : []))
  expect(ids).toEqual(['a', 'new'])
})

test('signatures are carried with the parts that they came with', () => {
  const chunk = (parts: readonly object[], more: object = {}) =>
    `data: ${JSON.stringify({ candidates: [{ content: { parts }, ...more }] })}\n\n`
  const chunks = [
    chunk([{ text: 'Hm.', thought: true }]),
    chunk([{ text: 'I ' }]),
    chunk([{ text: 'draw.' }, { text: '', thoughtSignature: 'one' }]),
    chunk([{ inlineData: { mimeType: 'image/webp', data: 'AAAA' }, thoughtSignature: 'two' }]),
    chunk([{ functionCall: { name: 't', args: {} }, thoughtSignature: 'three' }], { finishReason: 'STOP' }),
  ]
  const events = read([Buffer.from(chunks.join(''))])
  expect(events).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'I draw.' },
    { type: 'image', image: { mediaType: 'image/webp', data: 'AAAA' } },
    { type: 'tool-call', call: { id: 'new', name: 't', input: {} } },
    {
      type: 'end',
      reason: 'tool-calls',
      carry: {
        provider: 'gemini',
        data: {
          model: 'gemini-3-pro',
          pieces: [
            { type: 'text', length: 7 },
            { type: 'text', length: 0, signature: 'one' },
            { type: 'image', signature: 'two' },
            { type: 'call', id: 'new', signature: 'three' },
          ],
        },
      },
    },
  ])
})

test('a call that the service could not read is told with what it says about it, and no address is blamed', async () => {
  const finished = {
    content: { parts: [] },
    finishReason: 'MALFORMED_FUNCTION_CALL',
    finishMessage: 'Malformed: call(',
  }
  const events = `data: ${JSON.stringify({ candidates: [finished] })}\n\n`
  const server = await startSseService(() => ({ events }))
  const { message } = await collectFailure(await at(`${server.url}/v1beta`))
  await server.close()
  expect(message).toMatch(/could not read what fake-model wrote: MALFORMED_FUNCTION_CALL: Malformed: call\(/)
  expect(message).not.toContain(server.url)
})
