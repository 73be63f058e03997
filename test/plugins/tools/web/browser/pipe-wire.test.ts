import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitAtNul } from '../../../../../plugins/tools/web/browser/pipe-wire.ts'

test('messages come out whole however the bytes were cut', () => {
  const message = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('\0'))
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.nat(60)), (messages, cuts) => {
      const bytes = Buffer.from(messages.map((text) => `${text}\0`).join(''))
      const delivered: string[] = []
      const take = splitAtNul((text) => delivered.push(text))
      let at = 0
      for (const length of cuts) {
        take(bytes.subarray(at, at + length))
        at += length
      }
      take(bytes.subarray(at))
      expect(delivered).toEqual(messages)
    }),
  )
})

test('a message that is too long is left out, and those after it arrive', () => {
  const delivered: string[] = []
  const take = splitAtNul((text) => delivered.push(text), 5)
  for (const part of ['abc', 'def', 'ghi\0ok', '\0\0fine\0']) take(Buffer.from(part))
  expect(delivered).toEqual(['ok', 'fine'])
})
