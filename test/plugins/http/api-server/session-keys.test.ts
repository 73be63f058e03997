/** Holders of one key of the server that stay apart by their own key. */
import { expect, test } from 'vitest'
import { openApi } from './desk.ts'

const as = (key: string) => ({ 'x-svc-session-key': key })
const messages = [{ role: 'user', content: 'a secret of Ann' }]

async function begunByAnn() {
  const desk = await openApi(() => 'Fine.')
  const reply = await desk.ask('/v1/chat/completions', { headers: as('ann'), body: { messages } })
  return { ...desk, id: reply.headers.get('x-svc-session-id') ?? '' }
}

test.each([
  ['looked at', 'GET', '', undefined],
  ['read', 'GET', '/messages', undefined],
  ['renamed', 'PATCH', '', { title: 'mine' }],
  ['removed', 'DELETE', '', undefined],
  ['branched', 'POST', '/fork', {}],
  ['talked in', 'POST', '/chat', { message: 'b' }],
  ['talked in, streamed', 'POST', '/chat/stream', { message: 'b' }],
])('a session of another holder cannot be %s, and is not said to be there', async (...row) => {
  const [, method, path, body] = row
  const { read, id, model } = await begunByAnn()
  const look = (headers: Record<string, string>) => read(`/api/sessions/${id}${path}`, { method, headers, body })
  for (const headers of [as('bob'), {}]) {
    const reply = await look(headers)
    expect([reply.status, reply.body.error.code]).toEqual([404, 'session_not_found'])
  }
  expect(model.requests).toHaveLength(1)
  if (path !== '/chat/stream') expect((await look(as('ann'))).status).toBeLessThan(300)
})

test.each([
  ['a chat', '/v1/chat/completions', { messages }, true],
  ['a response', '/v1/responses', { input: 'b' }, true],
  ['a run', '/v1/runs', { input: 'b' }, false],
])('%s does not continue in a session of another holder', async (_name, path, body, byHeader) => {
  const { read, id } = await begunByAnn()
  const named = byHeader
    ? { body, headers: { ...as('bob'), 'x-svc-session-id': id } }
    : { body: { ...body, session_id: id } }
  const reply = await read(path, named)
  expect([reply.status, reply.body.error.code]).toEqual([404, 'session_not_found'])
})

test('a list shows what a holder may have, page by page, and branches are of the same holder', async () => {
  const { read } = await openApi(() => 'Fine.')
  const say = (headers: Record<string, string>, content: string) =>
    read('/v1/chat/completions', { headers, body: { messages: [{ role: 'user', content }] } })
  for (const word of ['1', '2', '3']) {
    await say(as('ann'), `ann ${word}`)
    await say(as('bob'), `bob ${word}`)
  }
  await say({}, 'anybody')
  const list = async (headers: Record<string, string>, query = '') =>
    (await read(`/api/sessions${query}`, { headers })).body
  expect((await list(as('ann'))).data).toHaveLength(4)
  expect((await list({})).data).toHaveLength(1)
  expect(await list(as('bob'), '?limit=2')).toMatchObject({ data: [{}, {}], has_more: true })
  const paged = [await list(as('bob'), '?limit=2'), await list(as('bob'), '?limit=2&offset=2')]
  expect(paged.flatMap(({ data }) => data)).toEqual((await list(as('bob'))).data)
  const [{ id }] = (await list(as('bob'))).data.slice(1)
  const { body } = await read(`/api/sessions/${id}/fork`, { method: 'POST', headers: as('bob') })
  expect((await read(`/api/sessions/${body.session.id}`, { headers: as('ann') })).status).toBe(404)
})

test.each(['agent:main:webui:dm:user 42', 'team|ann'])('the session key %s is taken', async (key) => {
  const { ask } = await openApi(['Hi.'])
  const reply = await ask('/v1/responses', { headers: as(key), body: { input: 'a' } })
  expect([reply.status, reply.headers.get('x-svc-session-key')]).toEqual([200, key])
})

test.each(['.', '..'])('a session cannot be named %s', async (id) => {
  const { read } = await openApi(['x'])
  expect((await read('/api/sessions', { body: { id } })).status).toBe(400)
})
