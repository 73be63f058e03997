import type { InlinePlugin } from 'svc'
import { Gateway, type GatewayStatus } from 'svc/sdk/platform'
import { Http } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { openApi } from '../api-server/desk.ts'
import { notes } from '../api-server/notes.ts'

test('every route has a lock, and only health is open', async () => {
  const { kernel, origin } = await openApi(['x'])
  const routes = kernel
    .use(Http)
    .apps()
    .flatMap((app) => app.routes.map((route) => ({ ...route, lock: (route.lock ?? app.lock).kind })))
  expect(routes.length).toBeGreaterThan(30)
  expect(routes.filter(({ lock }) => lock === 'public').map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /health',
    'GET /v1/health',
  ])
  for (const { method, path, lock } of routes) {
    const { status } = await fetch(`${origin}${path.replaceAll(/:\w+/g, 'x')}`, { method })
    expect({ method, path, status }).toEqual({ method, path, status: lock === 'public' ? 200 : 401 })
  }
})

test('the description of the API has every route, what it takes and how it fails', async () => {
  const { kernel, read, origin } = await openApi(['x'])
  const { body } = await read('/v1/openapi.json')
  expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: origin }], security: [{ key: [] }] })
  const apps = kernel.use(Http).apps()
  const described = Object.entries(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    ([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual(
    apps
      .flatMap(({ routes }) => routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`))
      .sort(),
  )
  const ids = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (operations) => Object.values(operations).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
  const chat = body.paths['/v1/chat/completions'].post.requestBody.content['application/json'].schema
  expect(chat.properties.messages.type).toBe('array')
  expect(body.paths['/v1/health'].get.security).toEqual([])
})

test('a program can ask what this server is, has and can do', async () => {
  const { read } = await openApi(['x'], { with: [notes], plugins: ['toolsets'] })
  expect((await read('/health')).body).toMatchObject({ status: 'ok', platform: 'api_server' })
  const features = await read('/v1/capabilities')
  expect(features.body).toMatchObject({
    object: 'svc.api_server.capabilities',
    model: 'svc',
    features: { chat_completions: true, jobs_admin: false, skills_api: true, cors: false },
  })
  expect(features.body.endpoints['POST /v1/runs']).toEqual({ method: 'POST', path: '/v1/runs' })
  expect((await read('/v1/skills')).body).toEqual({ object: 'list', data: [] })
  const toolsets = await read('/v1/toolsets')
  expect(toolsets.body.data).toContainEqual(
    expect.objectContaining({ name: 'notes', enabled: true, tools: ['take_note'] }),
  )
  const models = await read('/v1/models')
  expect(models.body.data[0]).toMatchObject({ id: 'svc', object: 'model', parent: null })
})

test('health says in detail what is ready', async () => {
  let answer = () => {}
  const gate = new Promise<void>((resolve) => {
    answer = resolve
  })
  const { ask, read } = await openApi([{ text: 'x', gate }])
  await ask('/v1/runs', { body: { input: 'takes long' } })
  const { body } = await read('/health/detailed')
  expect(body.readiness.checks).toMatchObject({
    state_db: { status: 'ok' },
    model: { status: 'ok', provider: 'fake', model: 'fake-1' },
    background_queues: { status: 'ok', active_api_runs: 1 },
  })
  expect(body.readiness.checks.disk.used_percent).toBeGreaterThan(0)
  answer()
})

const status: GatewayStatus = {
  state: 'draining',
  pid: 1,
  startedAt: 0,
  version: '0',
  platforms: [],
  conversations: 0,
  busy: 2,
  inbox: { waiting: 0, running: 0 },
  outbox: { pending: 0, attempting: 0, uncertain: 0, failed: 0 },
}

test('a gateway that is being stopped takes no work, and says when to come again', async () => {
  const never = async () => {}
  const draining: InlinePlugin = {
    name: 'draining',
    kind: 'service',
    provides: ['gateway'],
    setup: (ctx) =>
      void ctx.provide(Gateway, () => {
        return {
          status: () => status,
          isDraining: true,
          open: () => {},
          findChat: () => undefined,
          moveSession: () => {},
          drain: () => {},
          cancelDrain: () => {},
          start: never,
          stop: never,
          pause: never,
          resume: never,
          idle: never,
        }
      }),
  }
  const { ask, read } = await openApi(['x'], { with: [draining] })
  const response = await ask('/v1/responses', { body: { input: 'a' } })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toMatchObject({ error: { code: 'gateway_draining', type: 'server_error' } })
  expect((await read('/health/detailed')).body).toMatchObject({
    gateway_state: 'draining',
    active_agents: 2,
    readiness: { checks: { background_queues: { active_api_runs: 0, waiting_messages: 0, undelivered_messages: 0 } } },
  })
})

test('a listed page reads the session of its conversation', async () => {
  const { ask } = await openApi(['x'], { env: { API_SERVER_CORS_ORIGINS: 'https://app.example, https://b.example' } })
  const response = await ask('/v1/chat/completions', {
    headers: { origin: 'https://b.example' },
    body: { messages: [{ role: 'user', content: 'a' }] },
  })
  expect(response.headers.get('access-control-allow-origin')).toBe('https://b.example')
  expect(response.headers.get('access-control-expose-headers')).toContain('x-svc-session-id')
})

test('a model can be asked for by its name, and a route leads to the model that it stands for', async () => {
  const { read } = await openApi(['x'], {
    config: { model_routes: { 'org/fast': { model: 'fake-1', provider: 'fake' } } },
  })
  const { data } = (await read('/v1/models')).body
  expect((await read('/v1/models/org%2Ffast')).body).toEqual(data[1])
  expect(data.map(({ id, root }: { id: string; root: string }) => [id, root])).toEqual([
    ['svc', 'svc'],
    ['org/fast', 'fake-1'],
  ])
  const absent = await read('/v1/models/nobody')
  expect([absent.status, absent.body.error.code]).toEqual([404, 'model_not_found'])
})
