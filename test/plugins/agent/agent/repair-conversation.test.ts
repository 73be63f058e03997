import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { expect, test } from 'vitest'
import { repairHistory } from '../../../../plugins/agent/agent/repair-conversation.ts'

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

test('whatever went in, every call is answered right behind its message and neighbours have different roles', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      const repaired = repairHistory(messages)
      for (const [at, one] of repaired.entries()) {
        if (one.role === 'user') expect(repaired[at + 1]?.role).not.toBe('user')
        if (one.role !== 'assistant') continue
        if (!one.toolCalls?.length) expect(repaired[at + 1]?.role).not.toBe('assistant')
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

test('neighbouring assistant messages become one with the text, reasoning, pictures and tool calls of both', () => {
  const image = { mediaType: 'image/png', data: 'AAAA' }
  const toolCalls = [{ id: 'a', name: 'look', input: {} }]
  const repaired = repairHistory([
    { role: 'user', text: 'hi' },
    { role: 'assistant', text: 'Let me', reasoning: 'First.', images: [image], carry: { provider: 'p', data: 'sig' } },
    { role: 'assistant', text: '' },
    { role: 'assistant', text: 'look.', reasoning: 'Second.', toolCalls },
  ])
  expect(repaired).toEqual([
    { role: 'user', text: 'hi' },
    { role: 'assistant', text: 'Let me\n\nlook.', reasoning: 'First.\n\nSecond.', images: [image], toolCalls },
    expect.objectContaining({ role: 'tool', callId: 'a' }),
  ])
})

test('a merged answer loses what a provider signed, because that holds for the unmerged message only', () => {
  const signed = { role: 'assistant', text: 'two', carry: { provider: 'p', data: 'sig' } } as const
  expect(repairHistory([{ role: 'assistant', text: 'one' }, signed])).toEqual([
    { role: 'assistant', text: 'one\n\ntwo' },
  ])
})

test('a tool call with signed reasoning is sent as it came, next to the answer before it', () => {
  const call = {
    role: 'assistant',
    text: '',
    toolCalls: [{ id: 'a', name: 'look', input: {} }],
    carry: { provider: 'p', data: 'sig' },
  } as const
  const repaired = repairHistory([{ role: 'assistant', text: 'one' }, call])
  expect(repaired.slice(0, 2)).toEqual([{ role: 'assistant', text: 'one' }, call])
})
