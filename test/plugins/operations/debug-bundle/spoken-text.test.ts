/** Stories of a log that repeats what was said in conversations. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hideSpoken } from '../../../../plugins/operations/debug-bundle/spoken-text.ts'

const HIDDEN = '[text of a conversation]'
const hide = (text: string, ...spoken: string[]) => hideSpoken([text], spoken)[0]

test('a passage is hidden however it is quoted, and what is around it stays', () => {
  const said = 'Where did Aunt Mary put\nthe will of 1987?'
  for (const quoted of [said, JSON.stringify(said), said.toUpperCase(), said.replaceAll(' ', '  '), `>${said}<`]) {
    const shown = hide(`The service refused: ${quoted}; code 400`, said)
    expect(shown).toMatch(/^The service refused: .*\[text of a conversation\].*; code 400$/s)
    expect(shown).not.toMatch(/aunt|will|1987/i)
  }
  expect(hide('where did aunt mary put the', said)).not.toContain('mary')
  expect(hide('connection to 127.0.0.1 was refused', said)).toBe('connection to 127.0.0.1 was refused')
})

test('a part of a long message is hidden from its first to its last common letter', () => {
  const said = 'The meeting about the merger is on Friday at nine in the old library, and no one may know.'
  expect(hide('400: "is on Friday at nine in the old library" is not allowed', said)).toBe(
    `400: "${HIDDEN}" is not allowed`,
  )
})

test('a short line is hidden as a whole only, and a very short one is no text of a conversation', () => {
  expect(hide('it said: call Anna now!', 'call Anna now')).toBe(`it said: ${HIDDEN}!`)
  expect(hide('it said: call Annabel nowhere', 'call Anna now')).toBe('it said: call Annabel nowhere')
  expect(hide('not ok', 'ok')).toBe('not ok')
})

test('scripts that write words without spaces', () => {
  expect(hide('refused: 请告诉我密码在哪里。', '请告诉我密码在哪里')).toBe(`refused: ${HIDDEN}。`)
  expect(hide('拒绝:会议在周五', '会议在周五')).toBe(`拒绝:${HIDDEN}`)
})

test('whatever was said and wherever it is repeated, it is not there any more', () => {
  const word = fc.string({ minLength: 1, maxLength: 9, unit: fc.constantFrom(...'abcdeäß7') })
  const line = fc.array(word, { minLength: 3, maxLength: 12 }).map((words) => words.join(' '))
  const around = fc.array(fc.constantFrom('error:', '{"text":"', '\\n', '(', '"', ' at ', '12'), { maxLength: 4 })
  fc.assert(
    fc.property(line, around, around, (said, before, after) => {
      fc.pre(said.replaceAll(' ', '').length >= 8)
      const shown = hide(`${before.join(' ')} ${said} ${after.join(' ')}`, said) ?? ''
      expect(shown).not.toContain(said)
      expect(shown).toContain(HIDDEN)
    }),
    { numRuns: 300 },
  )
})
