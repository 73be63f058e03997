/** What users send: broken, odd. The server gets valid JSON, the journal keeps it, and it can be read again. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { whyInvalid } from '../plugins/sessions/support.ts'
import { errorOf, whyNoSentence } from '../support/scene.ts'
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

test.each(['', ' ', '\n\n\n', '\0'])('an empty message (%j) is answered or refused with a sentence', async (text) => {
  const { session, turn } = await servedScene(['Fine.', 'Fine.'])
  try {
    const events = await turn(text)
    if (errorOf(events)) expect(whyNoSentence(errorOf(events)?.message ?? '')).toBeUndefined()
  } catch (error) {
    expect(whyNoSentence((error as Error).message)).toBeUndefined()
  }
  expect((await turn('and now?')).at(-1)).toMatchObject({ reason: 'completed' })
  expect(whyInvalid(session.messages())).toBeUndefined()
})

test.each([
  ['image/png', 'no base64 at all!'],
  ['image/png', ''],
  ['text/html', 'PGh0bWw+'],
  ['', 'AAAA'],
  ['image/png\r\nx-evil: 1', 'AAAA'],
])('an image of type %j with data %j ends in a sentence or an answer', async (mediaType, data) => {
  const { turn } = await servedScene(() => 'Fine.')
  const events = await turn('look', { images: [{ mediaType, data }] })
  const error = errorOf(events)
  if (error) expect(whyNoSentence(error.message)).toBeUndefined()
  expect((await turn('go on')).at(-1)).toMatchObject({ reason: 'completed' })
})

test.each(['my model', '  fake-model  ', 'модель', 'a/b:c@d', 'x'.repeat(5000), '../../etc/passwd', 'a\nb'])(
  'a model called %j is asked for by its very name',
  async (name) => {
    const { server, turn } = await servedScene(() => 'Fine.', name)
    const events = await turn('hello')
    const error = errorOf(events)
    if (error) expect(whyNoSentence(error.message)).toBeUndefined()
    else expect([name, name.trim()]).toContain(server.requests.at(-1)?.body['model'])
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
