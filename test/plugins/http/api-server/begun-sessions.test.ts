/** Sessions that a client names before they are there: web front ends give their chats their own ids. */
import { Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { openApi } from './desk.ts'

const said = (content: string) => ({ messages: [{ role: 'user', content }] })

test('a chat begins the session that its header names, with what was said before, and continues it', async () => {
  const { ask, heard, kernel } = await openApi(['One.', 'Two.'])
  const headers = { 'x-svc-session-id': 'web:chat-7' }
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'c' },
  ]
  const first = await ask('/v1/chat/completions', { body: { messages }, headers })
  expect([first.status, first.headers.get('x-svc-session-id')]).toEqual([200, 'web:chat-7'])
  await ask('/v1/chat/completions', { body: said('d'), headers })
  expect(heard()).toEqual(['user: a', 'assistant: b', 'user: c', 'assistant: One.', 'user: d'])
  expect(
    kernel
      .use(Sessions)
      .list()
      .map(({ id }) => id),
  ).toEqual(['web:chat-7'])
})

test('so does a response, and a run by its session_id', async () => {
  const { ask, read } = await openApi(['One.'])
  const response = await ask('/v1/responses', { body: { input: 'a' }, headers: { 'x-svc-session-id': 'r-1' } })
  expect(response.headers.get('x-svc-session-id')).toBe('r-1')
  const run = await read('/v1/runs', { body: { input: 'a', session_id: 'run-1' } })
  expect([run.status, run.body.session_id]).toEqual([202, 'run-1'])
  const path = await read('/v1/runs', { body: { input: 'a', session_id: '../x' } })
  expect([path.status, path.body.error.param]).toEqual([400, 'session_id'])
})

test('the session belongs to the holder of the session key that began it', async () => {
  const { read } = await openApi(['One.'])
  const begin = (key: string) =>
    read('/v1/chat/completions', {
      body: said('a'),
      headers: { 'x-svc-session-id': 'mine', 'x-svc-session-key': key },
    })
  expect((await begin('u1')).status).toBe(200)
  const other = await begin('u2')
  expect([other.status, other.body.error.code]).toEqual([404, 'session_not_found'])
})
