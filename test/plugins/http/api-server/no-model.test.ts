/** Without a configured model a program gets an error, never the text of the scripted demo. */
import { Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { openApi } from './desk.ts'

const messages = [{ role: 'user', content: 'hello' }]
const json_schema = { name: 'answer', schema: { type: 'object', properties: { a: { type: 'string' } } } }
const plugins = ['provider-demo', 'api-sessions']

test.each([
  ['chat completions', '/v1/chat/completions', { messages }],
  ['streamed chat completions', '/v1/chat/completions', { messages, stream: true }],
  ['structured output', '/v1/chat/completions', { messages, response_format: { type: 'json_schema', json_schema } }],
  ['responses', '/v1/responses', { input: 'hello' }],
  ['responses in the background', '/v1/responses', { input: 'hello', background: true, store: true }],
  ['runs', '/v1/runs', { input: 'hello' }],
])('%s answer 503 in the shape of the public API, and leave no session', async (_name, path, body) => {
  const api = await openApi([], { modelConfig: {}, plugins })
  const { status, body: reply } = await api.read(path, { body })
  expect([status, reply.error.code, reply.error.type]).toEqual([503, 'model_unavailable', 'server_error'])
  expect(reply.error.message).toMatch(/No model is connected[\s\S]*svc config set model\.provider/)
  expect(api.kernel.use(Sessions).list()).toEqual([])
})

test('a turn in a session answers 503 too', async () => {
  const api = await openApi([], { modelConfig: {}, plugins })
  const { body: made } = await api.read('/api/sessions', { body: {} })
  const { status, body: reply } = await api.read(`/api/sessions/${made.session.id}/chat`, {
    body: { message: 'hello' },
  })
  expect([status, reply.error.code]).toEqual([503, 'model_unavailable'])
})

test('the demo answers where the config names it', async () => {
  const api = await openApi([], { modelConfig: { provider: 'demo', default: 'demo' }, plugins })
  const { status, body: reply } = await api.read('/v1/chat/completions', { body: { messages } })
  expect([status, reply.choices[0].message.content]).toEqual([200, expect.stringContaining('scripted demo')])
})

test('the demo answers where a route of the config names it', async () => {
  const config = { model_routes: { trial: { provider: 'demo', model: 'demo' } } }
  const api = await openApi([], { modelConfig: {}, plugins, config })
  expect((await api.read('/v1/chat/completions', { body: { messages, model: 'trial' } })).status).toBe(200)
  expect((await api.read('/v1/chat/completions', { body: { messages, model: 'other' } })).status).toBe(503)
})
