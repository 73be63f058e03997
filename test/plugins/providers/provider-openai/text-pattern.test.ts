import fc from 'fast-check'
import type { ModelEvent } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { Answer } from '../../../../plugins/providers/provider-openai/assemble.ts'
import { TextPattern } from '../../../../plugins/providers/provider-openai/text-pattern.ts'

const chunk = (text: string) =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })

test('a chunk like the last is read without parsing', () => {
  const pattern = new TextPattern()
  expect(pattern.read(chunk('one'))).toBeUndefined()
  pattern.learn(chunk('one'), 'one')
  expect(pattern.read(chunk('two'))).toBe('two')
  expect(pattern.read(chunk(''))).toBe('')
  expect(pattern.read(chunk('ünï 漢字 🙂'))).toBe('ünï 漢字 🙂')
})

test('text with escapes, other fields or another end is left to the parser', () => {
  const pattern = new TextPattern()
  pattern.learn(chunk('one'), 'one')
  for (const text of ['a "quote"', 'back\\slash', 'line\nend', '","x":"'])
    expect(pattern.read(chunk(text))).toBeUndefined()
  expect(pattern.read(chunk('one').replace('null', '"stop"'))).toBeUndefined()
  expect(pattern.read(chunk('one').slice(0, -1))).toBeUndefined()
  expect(pattern.read('[DONE]')).toBeUndefined()
})

test('nothing is learned where the text could be somewhere else', () => {
  const pattern = new TextPattern()
  const twice = '{"note":{"content":"one"},"choices":[{"delta":{"content":"one"}}]}'
  pattern.learn(twice, 'one')
  expect(pattern.read(twice)).toBeUndefined()
})

test('learning stops at a server whose chunks are never alike', () => {
  const pattern = new TextPattern()
  const noisy = (noise: number) => `{"noise":${noise},"choices":[{"delta":{"content":"x"}}]}`
  for (let noise = 0; noise < 20; noise++) pattern.learn(noisy(noise), 'x')
  expect(pattern.read(noisy(19))).toBeUndefined()
})

test('the shortcut never changes what is read', () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('word ', '"', '\\', '","role":"x', '"content":"', '')),
  )
  const spaces = fc.constantFrom(0, 1)
  fc.assert(
    fc.property(texts, spaces, (words, indent) => {
      const answer = new Answer(() => 'id')
      const write = (text: string) =>
        JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: text } }] }, undefined, indent).replace(
          /\n */g,
          '',
        )
      const events: ModelEvent[] = words.flatMap((text) => {
        answer.add(write(text))
        return answer.take()
      })
      expect(events).toEqual(words.filter((text) => text !== '').map((text) => ({ type: 'text', text })))
    }),
  )
})
