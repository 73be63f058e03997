/** Messages, pictures, answers and numbers of calls that are far too large: kept whole or refused with a sentence. */
import { expect, test } from 'vitest'
import { findError } from '../support/scene.ts'
import { saidTo, servedScene } from '../support/served-scene.ts'

test('a message of 5 MB arrives whole, is kept whole, and can be found', async () => {
  const { server, sessions, session, turn } = await servedScene(['Read.', 'Again.'])
  const text = `${'lorem ipsum '.repeat(430_000)}needle-at-the-end`
  expect((await turn(text)).at(-1)).toMatchObject({ reason: 'completed' })
  expect(saidTo(server)).toBe(text)
  expect(sessions.open(session.id).messages()[0]?.text).toBe(text)
  expect(sessions.search('needle-at-the-end')[0]?.sessionId).toBe(session.id)
  expect((await turn('and?')).at(-1)).toMatchObject({ reason: 'completed' })
})

test('an image of 50 MB is refused before it is sent, by its size, and the conversation continues', async () => {
  const { server, session, turn } = await servedScene(['Fine.', 'Fine.'])
  const data = Buffer.alloc(50 * 2 ** 20, 1).toString('base64')
  const events = await turn('look', { images: [{ mediaType: 'image/png', data }] })
  expect(events.at(-1)).toMatchObject({ reason: 'failed' })
  expect(findError(events)?.message).toMatch(/50 MB/)
  expect(server.requests).toHaveLength(0)
  expect((await turn('never mind')).at(-1)).toMatchObject({ reason: 'completed' })
  expect(server.requests.at(-1)?.raw.length).toBeLessThan(2 ** 20)
  expect(session.messages().at(-1)).toMatchObject({ role: 'assistant', text: 'Fine.' })
})

test('a model that answers with 20 MB of text in one word is kept and shown', async () => {
  const { session, turn } = await servedScene([
    { text: Array.from({ length: 40 }, () => 'w'.repeat(500_000)) },
    'Fine.',
  ])
  const events = await turn('hello')
  expect(events.at(-1)).toMatchObject({ reason: 'completed' })
  expect(session.messages().at(-1)?.text).toHaveLength(20_000_000)
})

test('a thousand tool calls in one answer are all answered', async () => {
  const calls = Array.from({ length: 1000 }, (_, at) => ({
    id: `same_${at % 10}`,
    name: at % 2 ? 'odd' : 'nothing',
    arguments: `{"at":${at}}`,
  }))
  const { session, turn, server } = await servedScene([{ calls }, 'Fine.', 'Fine.'])
  expect((await turn('go')).at(-1)?.type).toBe('turn.end')
  expect(session.messages().filter(({ role }) => role === 'tool')).toHaveLength(1000)
  const sent = server.requests.at(-1)?.body['messages'] as { role: string }[]
  expect(sent.filter(({ role }) => role === 'tool')).toHaveLength(1000)
})

test('a search for two million characters, or for half a million words, finds what it finds', async () => {
  const { sessions, session, turn } = await servedScene(['Fine.'])
  await turn(`start ${'x'.repeat(2000)} end`)
  expect(sessions.search('x'.repeat(2_000_000))[0]?.sessionId).toBe(session.id)
  expect(sessions.search('start end '.repeat(250_000))[0]?.sessionId).toBe(session.id)
  expect(sessions.search(Array.from({ length: 500_000 }, (_, at) => `word${at}`).join(' '))).toEqual([])
})
