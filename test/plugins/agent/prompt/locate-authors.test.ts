import fc from 'fast-check'
import { expect, test } from 'vitest'
import { locate } from '../../../../plugins/agent/prompt/locate-authors.ts'
import type { PartText } from '../../../../plugins/agent/prompt/prompt-parts.ts'

const part = (name: string, text: string): PartText => ({ name, tier: 'stable', plugin: `plugin-${name}`, text })
const fold = (parts: readonly PartText[]) =>
  parts
    .filter(({ text }) => text)
    .map(({ text }) => text)
    .join('\n\n')
const named = (prompt: string, parts: readonly PartText[]) =>
  locate(prompt, parts).map(({ name, start, end }) => [name, prompt.slice(start, end)])

test('parts are found where the agent put them', () => {
  const parts = [part('a', 'one\n\ntwo'), part('b', ''), part('c', 'three')]
  expect(named('one\n\ntwo\n\nthree', parts)).toEqual([
    ['a', 'one\n\ntwo'],
    ['c', 'three'],
  ])
})

test('a part that is never the same twice is named by the place that no one else claims', () => {
  const parts = [part('a', 'one'), part('clock', 'It is 12:01.'), part('c', 'three')]
  expect(named('one\n\nIt is 12:00.\n\nthree', parts)).toEqual([
    ['a', 'one'],
    ['clock', 'It is 12:00.'],
    ['c', 'three'],
  ])
  expect(named('one\n\nIt is 12:00.', [part('a', 'one'), part('x', 'new x'), part('y', 'new y')])).toEqual([
    ['a', 'one'],
    ['x or y', 'It is 12:00.'],
  ])
  expect(named('one\n\ngone', [part('a', 'one')])).toEqual([
    ['a', 'one'],
    ['unknown', 'gone'],
  ])
})

test('a short part is not found inside the words of another', () => {
  expect(named('a cat\n\nat', [part('changed', 'a dog'), part('short', 'at')])).toEqual([
    ['changed', 'a cat'],
    ['short', 'at'],
  ])
})

test('whatever parts say, nothing of a prompt is left without a name', () => {
  const text = fc.stringMatching(/^[ab\n]{0,6}$/).map((value) => value.trim())
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), fc.array(text, { maxLength: 6 }), (then, now) => {
      const prompt = fold(then.map((each, at) => part(`${at}`, each)))
      const stretches = locate(
        prompt,
        now.map((each, at) => part(`${at}`, each)),
      )
      let from = 0
      for (const { start, end } of stretches) {
        expect(prompt.slice(from, start).trim()).toBe('')
        expect(end).toBeGreaterThan(start)
        from = end
      }
      expect(prompt.slice(from).trim()).toBe('')
    }),
  )
})

test('the parts of today take a prompt of today apart exactly', () => {
  const text = fc.stringMatching(/^[a-c]{1,5}$/)
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
      const parts = texts.map((each, at) => part(`${at}`, each))
      expect(named(fold(parts), parts)).toEqual(parts.map(({ name, text: said }) => [name, said]))
    }),
  )
})
