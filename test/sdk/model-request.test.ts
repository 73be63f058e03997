import { imageTooLarge, type Message, objectInput, resultText } from 'svc/sdk'
import { expect, test } from 'vitest'

test('input that is no object is wrapped', () => {
  expect([{ a: 1 }, [1], 'oops', null].map(objectInput)).toEqual([
    { a: 1 },
    { unparsed: [1] },
    { unparsed: 'oops' },
    { unparsed: null },
  ])
})

test('only a result that went wrong and does not say so is marked', () => {
  expect(resultText({ text: 'gone', failed: true })).toBe('Error: gone')
  expect(resultText({ text: '[ERROR] gone', failed: true })).toBe('[ERROR] gone')
  expect(resultText({ text: 'errors are fine' })).toBe('errors are fine')
})

test('a picture is measured as a picture, wherever it is', () => {
  const limits = { who: 'Somebody', maxBytes: 2 * 2 ** 20 }
  const picture = (bytes: number) => [{ mediaType: 'image/png', data: 'A'.repeat(Math.floor((bytes * 4) / 3)) }]
  const messages = (bytes: number): Message[] => [
    { role: 'system', text: 'Be kind.' },
    { role: 'tool', callId: 'c', text: '', images: picture(bytes) },
  ]
  expect(imageTooLarge(messages(2 * 2 ** 20), limits)).toBeUndefined()
  expect(imageTooLarge(messages(3 * 2 ** 20), limits)).toMatchObject({
    kind: 'invalid',
    message: expect.stringContaining('has 3 MB, and Somebody takes 2 MB at most'),
  })
})
