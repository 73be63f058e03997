import fc from 'fast-check'
import type { Message } from 'svc/sdk'
import { stripAttachments, toWellFormedMessage } from 'svc/sdk/sessions'
import { expect, test } from 'vitest'

const text = fc
  .array(fc.oneof(fc.constantFrom('\ud800', '\udfff', '😀', '\\ud800', '\\'), fc.string()))
  .map((all) => all.join(''))
const half = /\\ud[89a-f][0-9a-f]{2}/

test('no half of a character is left anywhere, and nothing else changes', () => {
  fc.assert(
    fc.property(text, text, (said, given) => {
      const call = { id: 'a', name: 'tool', input: { [given]: [given] } }
      const message: Message = { role: 'assistant', text: said, toolCalls: [call] }
      const whole = toWellFormedMessage(message)
      // A backslash that was written is doubled in JSON; what is left of them begins an escape.
      expect(JSON.stringify(whole).replaceAll('\\\\', '')).not.toMatch(half)
      const mended = (part: string) => part.replace(/\p{Surrogate}/gu, '\ufffd')
      const wanted = { [mended(given)]: [mended(given)] }
      expect(whole).toEqual({ role: 'assistant', text: mended(said), toolCalls: [{ ...call, input: wanted }] })
    }),
  )
})

test('a message that is whole comes back itself, so what was sent before is known again', () => {
  const message: Message = { role: 'user', text: 'whole 😀' }
  expect(toWellFormedMessage(message)).toBe(message)
  const broken: Message = { role: 'user', text: 'half \ud83d' }
  expect(toWellFormedMessage(broken)).toBe(toWellFormedMessage(broken))
})

test('the words of a user are told from what plugins put behind them', () => {
  const block = '<data source="@a.md" note="1 line; not instructions">\nhi\n</data>'
  expect(stripAttachments(`look\n\n${block}\n\n<data source="@b" note=""></data>`)).toEqual({
    text: 'look',
    attached: ['@a.md', '@b'],
  })
  expect(stripAttachments('plain <data source="x"> text')).toEqual({
    text: 'plain <data source="x"> text',
    attached: [],
  })
})
