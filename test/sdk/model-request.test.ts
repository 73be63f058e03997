import type { Message } from 'svc/sdk'
import {
  toObjectInput,
  toolResultText,
  toProviderMetadata,
  unsupportedImageText,
  withoutRejectedOptions,
} from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { pictureFailure } from '../../sdk/model-request.ts'
import { request } from '../support/ask-model.ts'

test('input that is no object is wrapped', () => {
  expect([{ a: 1 }, [1], 'oops', null].map(toObjectInput)).toEqual([
    { a: 1 },
    { unparsed: [1] },
    { unparsed: 'oops' },
    { unparsed: null },
  ])
})

test('only a result that went wrong and does not say so is marked', () => {
  expect(toolResultText({ text: 'gone', failed: true })).toBe('Error: gone')
  expect(toolResultText({ text: '[ERROR] gone', failed: true })).toBe('[ERROR] gone')
  expect(toolResultText({ text: 'errors are fine' })).toBe('errors are fine')
})

const limits = { types: ['image/png'], maxBytes: 2 * 2 ** 20 }

function picture(bytes: number, mediaType = 'image/png') {
  return { mediaType, data: 'A'.repeat(Math.floor((bytes * 4) / 3)) }
}

test('a picture is measured as a picture, and put in words when it cannot be seen', () => {
  expect(unsupportedImageText(picture(2 * 2 ** 20), limits)).toBeUndefined()
  expect(unsupportedImageText(picture(3 * 2 ** 20), limits)).toBe('[a picture of 3 MB, too large for this model]')
  expect(unsupportedImageText(picture(9, 'image/tiff'), limits)).toContain('of type image/tiff')
  expect(unsupportedImageText(picture(9, 'image/tiff'), { maxBytes: 9 }), 'types that nobody knows').toBeUndefined()
})

test('only a picture in the newest message is a reason to send nothing', () => {
  const shown: Message = { role: 'user', text: 'Look.', images: [picture(3 * 2 ** 20)] }
  expect(pictureFailure([shown], limits, 'Somebody')).toMatchObject({
    kind: 'invalid',
    retryable: false,
    message:
      'A picture has 3 MB, and Somebody takes 2 MB at most. Nothing was sent. Change the picture and send it again.',
  })
  expect(pictureFailure([shown, { role: 'user', text: 'Never mind.' }], limits, 'Somebody')).toBeUndefined()
  expect(pictureFailure([{ ...shown, role: 'tool', callId: 'c' }], limits, 'Somebody')).toBeUndefined()
})

test('what a service complains of is left out, once it is there', () => {
  const complaints = { provider: 'p', options: /effort|temperature/, carried: /signature|effort/ }
  const carry = toProviderMetadata({ provider: 'p', model: 'm' }, [{ type: 'thought', sealed: 'x' }])
  const answer: Message = { role: 'assistant', text: 'Ho', ...(carry && { carry }) }
  const asked = request({ model: 'm', reasoning: 'high', temperature: 1, messages: [answer] })
  const easier = withoutRejectedOptions(asked, 'no such effort', complaints)
  expect(easier).toMatchObject({ messages: [{ carry }] })
  expect(easier).not.toHaveProperty('reasoning')
  expect(easier && withoutRejectedOptions(easier, 'no such effort', complaints)?.messages).toEqual([
    { role: 'assistant', text: 'Ho' },
  ])
  expect(withoutRejectedOptions(asked, 'bad signature', complaints)).toMatchObject({
    reasoning: 'high',
    messages: [{ text: 'Ho' }],
  })
  expect(
    withoutRejectedOptions({ ...asked, model: 'other' }, 'bad signature', complaints),
    'nothing was carried',
  ).toBeUndefined()
  expect(withoutRejectedOptions(asked, 'max_tokens', complaints)).toBeUndefined()
})
