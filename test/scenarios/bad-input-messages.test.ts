/** What users send: broken, odd. The server gets valid JSON, the journal keeps it, and it can be read again. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { whyInvalid } from '../plugins/sessions/sessions/support.ts'
import { findError, whyNoSentence } from '../support/scene.ts'
import { lone, saidTo, servedScene } from '../support/served-scene.ts'

const isWhole = (text = '') => !/\p{Surrogate}/u.test(text)
const whole = (text = '') => text.replace(/\p{Surrogate}/gu, '\ufffd')

test('a text of any characters reaches the model as well-formed text and comes back from the journal', async () => {
  const { server, sessions, session, turn } = await servedScene(() => 'Fine.')
  const text = fc.array(
    fc.oneof(
      fc.constantFrom(
        '\ud800',
        '\udc00',
        '\ud83d\ude00',
        '\0',
        '\u001b[2J',
        '\u202e',
        '\ufeff',
        '\uffff',
        '\r\n',
        '"',
        '\\',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const given = parts.join('')
      const events = await turn(given)
      expect(events.at(-1)).toMatchObject({ reason: 'completed' })
      expect(isWhole(saidTo(server))).toBe(true)
      const raw = server.requests.at(-1)?.raw.toString('utf8') ?? ''
      expect(raw).not.toMatch(lone)
      const kept = sessions.open(session.id).messages().at(-2)
      expect(whole(kept?.text)).toBe(whole(given))
    }),
    { numRuns: 25 },
  )
}, 30_000)

test('halves of characters and control characters in what a tool gives do not break the request', async () => {
  const { server, turn } = await servedScene([{ calls: [{ name: 'odd' }] }, 'Fine.'])
  expect((await turn('go')).at(-1)).toMatchObject({ reason: 'completed' })
  const raw = server.requests.at(-1)?.raw.toString('utf8') ?? ''
  expect(raw).not.toMatch(lone)
  expect(isWhole(raw)).toBe(true)
})

test('halves of characters in what the model calls a tool with do not break the next request', async () => {
  const { server, turn } = await servedScene([
    { calls: [{ name: 'odd', arguments: '{"text": "a\\ud800b\\u0000"}' }] },
    'Fine.',
  ])
  expect((await turn('go')).at(-1)).toMatchObject({ reason: 'completed' })
  const raw = server.requests.at(-1)?.raw.toString('utf8') ?? ''
  expect(raw).toContain('a\ufffdb')
  expect(raw).not.toMatch(lone)
})

test.each(['', ' ', '\n\n\n', '\0'])('an empty message (%j) is answered like any other', async (text) => {
  const { session, turn } = await servedScene(['Fine.', 'Fine.'])
  expect((await turn(text)).at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
  expect((await turn('and now?')).at(-1)).toMatchObject({ reason: 'completed' })
  expect(whyInvalid(session.messages())).toBeUndefined()
})

test.each(['text/html', '', 'image/png\r\nx-evil: 1'])(
  'an image of type %j is refused with a sentence, nothing of it is sent, and the next message is answered',
  async (mediaType) => {
    const { server, turn } = await servedScene(() => 'Fine.')
    const events = await turn('look', { images: [{ mediaType, data: 'AAAA' }] })
    expect(events.at(-1)).toMatchObject({ reason: 'failed' })
    expect(findError(events)?.message).toContain('takes PNG, JPEG, WEBP, GIF')
    expect(whyNoSentence(findError(events)?.message ?? '')).toBeUndefined()
    expect(server.requests).toEqual([])
    expect((await turn('go on')).at(-1)).toMatchObject({ reason: 'completed' })
  },
)

test.each(['no base64 at all!', ''])('an image with data %j is left to the judgement of the server', async (data) => {
  const { server, turn } = await servedScene(() => 'Fine.')
  expect((await turn('look', { images: [{ mediaType: 'image/png', data }] })).at(-1)).toMatchObject({
    reason: 'completed',
  })
  expect(server.requests.at(-1)?.raw.toString('utf8')).toContain(`data:image/png;base64,${data}"`)
  expect((await turn('go on')).at(-1)).toMatchObject({ reason: 'completed' })
})

test.each(['my model', '  fake-model  ', 'модель', 'a/b:c@d', 'x'.repeat(5000), '../../etc/passwd', 'a\nb'])(
  'a model called %j is asked for by its very name',
  async (name) => {
    const { server, turn } = await servedScene(() => 'Fine.', name)
    const events = await turn('hello')
    expect(findError(events)).toBeUndefined()
    expect(server.requests.at(-1)?.body['model']).toBe(name)
  },
)

test.each([1000, 20_000, 500_000])(
  'a call with arguments %i levels deep is answered, and the conversation goes on',
  async (depth) => {
    const text = `{"text":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const { session, turn } = await servedScene([{ calls: [{ name: 'odd', arguments: text }] }, 'Fine.', 'Fine.'])
    expect((await turn('go')).at(-1)).toMatchObject({ reason: 'completed' })
    const answer = session.messages().find(({ role }) => role === 'tool')
    expect(answer).toMatchObject({ failed: true })
    expect(whyNoSentence(answer?.text ?? '')).toBeUndefined()
    expect((await turn('and now?')).at(-1)).toMatchObject({ reason: 'completed' })
  },
)
