/** Against the published sample of the service, and against itself. */
import fc from 'fast-check'
import { MessageSeal, readXmlFields, writeXmlFields } from 'svc/sdk/kit/text'
import { expect, test } from 'vitest'

/** developer.work.weixin.qq.com/document/path/91144 and the sample of its libraries. */
const sample = {
  token: 'QDG6eK',
  key: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C',
  receiver: 'wx5823bf96d3bd56c7',
}
const echo = 'P9nAzCzyDtyTWESHep1vC5X9xho/qYX3Zpb4yKa9SKld1DsH3Iyt3tP3zNdtp+4RPcs8TgAE7OaBO+FZXvnaqQ=='
const random = Buffer.alloc(16, 1)

test('the published sample is signed and opened', () => {
  const seal = new MessageSeal(sample)
  expect(seal.isSigned(['1409659589', '263014780', echo], '5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3')).toBe(true)
  expect(seal.isSigned(['1409659589', '263014781', echo], '5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3')).toBe(false)
  expect(seal.open(echo)).toBe('1616140317555161061')
})

test('what is sealed is opened again, and by no other key or receiver', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const sealed = new MessageSeal(sample).close(text, random)
      expect(new MessageSeal(sample).open(sealed)).toBe(text)
      expect(new MessageSeal({ ...sample, receiver: 'other' }).open(sealed)).toBeUndefined()
      expect(new MessageSeal({ ...sample, key: 'a'.repeat(43) }).open(sealed)).toBeUndefined()
    }),
    { numRuns: 50 },
  )
})

test('what is malformed opens nothing, and an empty token signs nothing', () => {
  const seal = new MessageSeal(sample)
  const sealed = seal.close('hello', random)
  for (const wrong of ['', 'x', sealed.slice(0, -4), sealed.slice(24), `${sealed.slice(0, 20)}AAAA${sealed.slice(24)}`])
    expect(seal.open(wrong) === 'hello').toBe(false)
  expect(new MessageSeal({ ...sample, key: '' }).open(sealed)).toBeUndefined()
  const open = new MessageSeal({ ...sample, token: '' })
  expect(open.isSigned(['1'], open.sign(['1']))).toBe(false)
})

test('fields of XML are texts, whatever stands in them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(readXmlFields(writeXmlFields({ Content: text, MsgId: '1' }))).toEqual({ Content: text, MsgId: '1' })
    }),
    { numRuns: 100 },
  )
  const plain =
    '<xml><CreateTime>1</CreateTime><Text>a &lt; b &amp;&amp; c &nope;</Text><constructor>x</constructor></xml>'
  expect(readXmlFields(plain)).toEqual({ CreateTime: '1', Text: 'a < b && c &nope;', constructor: 'x' })
})
