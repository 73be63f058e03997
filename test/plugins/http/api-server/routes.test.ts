/** Routes of the API server that other plugins bring. */
import type { InlinePlugin } from 'svc'
import { SvcError, TurnOutcome } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { ApiAgent, ApiRoutes, defineApiRoute, jsonResponse } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openApi } from './desk.ts'

let calls = 0
const echo: InlinePlugin = {
  name: 'echo',
  contributes: { 'api-routes': ['POST /v1/echo/:name', 'GET /v1/echo', 'POST /v1/ask/:id'] },
  requires: ['api-agent'],
  setup(ctx) {
    ctx.add(
      ApiRoutes,
      defineApiRoute({
        method: 'POST',
        path: '/v1/echo/:name',
        summary: 'Says it again',
        body: z.object({ text: z.string(), times: z.number().int().default(1) }),
        async handle({ http, body, scope }) {
          calls++
          if (body.times > 9)
            throw new SvcError('API_TOO_OFTEN', 'times is at most 9.', { status: 409, param: 'times' })
          return jsonResponse({ name: http.params['name'], text: body.text.repeat(body.times), scope })
        },
      }),
    )
    ctx.add(
      ApiRoutes,
      defineApiRoute({
        method: 'GET',
        path: '/v1/echo',
        summary: 'Says the query again',
        query: z.object({ word: z.string().meta({ description: 'Which word.' }), size: z.coerce.number().default(3) }),
        handle: async ({ query, body }) => jsonResponse({ query, body: body === undefined ? 'none' : body }),
      }),
    )
    ctx.add(
      ApiRoutes,
      defineApiRoute({
        method: 'POST',
        path: '/v1/ask/:id',
        summary: 'Asks the agent',
        body: z.object({ say: z.unknown() }),
        async handle({ http, body, scope, signal }) {
          const sessionId = http.params['id'] ?? ''
          ctx.use(ApiAgent).create(sessionId, { scope, instructions: 'Be brief.' })
          const said = { sessionId, content: body.say, field: 'say', scope, signal }
          const turn = await ctx.use(ApiAgent).begin(said)
          const outcome = new TurnOutcome()
          for await (const event of turn.events) outcome.take(event)
          return jsonResponse({ text: outcome.text })
        },
      }),
    )
  },
}

test('a route of another plugin has its body read and its failures told as those of the server', async () => {
  const { read, ask } = await openApi(['x'], { with: [echo] })
  expect((await read('/v1/echo/ann', { body: { text: 'ha', times: 2 } })).body).toEqual({
    name: 'ann',
    text: 'haha',
    scope: '',
  })
  const wrong = await read('/v1/echo/ann', { body: { text: 5 } })
  expect([wrong.status, wrong.body.error.param, wrong.body.error.code]).toEqual([400, 'text', 'invalid_request'])
  const often = await read('/v1/echo/ann', { body: { text: 'a', times: 10 } })
  expect([often.status, often.body.error]).toEqual([
    409,
    { message: 'times is at most 9.', type: 'invalid_request_error', param: 'times', code: 'too_often' },
  ])
  const reply = await ask('/v1/echo/ann', { body: { text: 'a' }, headers: { 'x-svc-session-key': 'u1' } })
  expect(reply.headers.get('x-request-id')).toMatch(/^req_/)
  expect(await reply.json()).toMatchObject({ scope: 'u1' })
  expect((await read('/v1/echo/ann', { body: { text: 'a' }, headers: { authorization: 'Bearer no' } })).status).toBe(
    401,
  )
})

test('its query is read, and both are in the description of the API', async () => {
  const { read } = await openApi(['x'], { with: [echo] })
  expect((await read('/v1/echo?word=a&size=5')).body).toEqual({ query: { word: 'a', size: 5 }, body: 'none' })
  const missing = await read('/v1/echo')
  expect([missing.status, missing.body.error.param]).toEqual([400, 'word'])
  const { paths } = (await read('/v1/openapi.json')).body
  expect(paths['/v1/echo'].get.parameters[0]).toEqual({
    name: 'word',
    in: 'query',
    required: true,
    schema: { type: 'string' },
    description: 'Which word.',
  })
  expect(paths['/v1/echo/{name}'].post.requestBody.content['application/json'].schema.required).toContain('text')
})

test('it is done once for each idempotency key', async () => {
  const { read } = await openApi(['x'], { with: [echo] })
  calls = 0
  const again = { body: { text: 'a' }, headers: { 'idempotency-key': 'k1' } }
  expect((await read('/v1/echo/ann', again)).body).toEqual((await read('/v1/echo/ann', again)).body)
  expect(calls).toBe(1)
})

test('it may begin turns in sessions of its holder, and in no others', async () => {
  const { read, model } = await openApi(['Hello.'], { with: [echo] })
  const mine = { 'x-svc-session-key': 'u1' }
  expect((await read('/v1/ask/s1', { body: { say: 'Hi' }, headers: mine })).body).toEqual({ text: 'Hello.' })
  expect(model.requests[0]?.messages[0]?.text).toContain('Be brief.')
  const other = await read('/v1/ask/s1', { body: { say: 'Hi' }, headers: { 'x-svc-session-key': 'u2' } })
  expect([other.status, other.body.error.code]).toEqual([404, 'session_not_found'])
  const empty = await read('/v1/ask/s1', { body: { say: '' }, headers: mine })
  expect([empty.status, empty.body.error.param]).toEqual([400, 'say'])
})

test('it goes and comes with its plugin while the server runs', async () => {
  const { read, kernel } = await openApi(['x'], { with: [echo] })
  const ask = async () => (await read('/v1/echo/ann', { body: { text: 'a' } })).status
  await kernel.use(Plugins).disable('echo')
  expect(await ask()).toBe(404)
  expect((await read('/v1/models')).status).toBe(200)
  await kernel.use(Plugins).enable('echo')
  expect(await ask()).toBe(200)
})
