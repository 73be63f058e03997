import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { repairHistory } from '../../../plugins/agent/repair.ts'

const id = fc.constantFrom('a', 'b', 'c', 'd')
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), text: fc.string() }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: fc.string(),
    toolCalls: fc.uniqueArray(fc.record({ id, name: fc.constant('look'), input: fc.constant({}) }), {
      selector: (call) => call.id,
      maxLength: 3,
    }),
  }),
  fc.record({ role: fc.constant('tool' as const), callId: id, text: fc.string() }),
)

test('whatever went in, every call is answered right behind its message and no two users speak in a row', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      const repaired = repairHistory(messages)
      for (const [at, one] of repaired.entries()) {
        if (one.role === 'user') expect(repaired[at + 1]?.role).not.toBe('user')
        if (one.role !== 'assistant') continue
        const behind = repaired.slice(at + 1, at + 1 + (one.toolCalls?.length ?? 0))
        expect(behind.map((answer) => answer.role === 'tool' && answer.callId)).toEqual(
          one.toolCalls?.map((call) => call.id),
        )
      }
      const calls = repaired.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : [])).length
      expect(repaired.filter((one) => one.role === 'tool')).toHaveLength(calls)
      expect(repairHistory(repaired)).toEqual(repaired)
    }),
  )
})

test('a valid conversation comes back with the very same messages, so nothing is serialised twice', () => {
  const messages: Message[] = [
    { role: 'user', text: 'hi' },
    { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'look', input: {} }] },
    { role: 'tool', callId: 'a', text: 'seen' },
    { role: 'assistant', text: 'done' },
  ]
  for (const [at, one] of repairHistory(messages).entries()) expect(one).toBe(messages[at])
})

test('a message with pictures that got no answer is not joined to the next one, which would be refused with it', () => {
  const image = { mediaType: 'image/png', data: 'AAAA' }
  const repaired = repairHistory([
    { role: 'user', text: 'look', images: [image] },
    { role: 'user', text: 'never mind' },
  ])
  expect(repaired.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(repaired.at(-1)).toEqual({ role: 'user', text: 'never mind' })
})
