import { request } from 'node:http'
import type { PluginContext } from 'svc/sdk'
import { DashboardRoutes, DashboardSockets, dashboardReply, defineDashboardRoute } from 'svc/sdk/dashboard'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import type WebSocket from 'ws'
import { z } from 'zod'
import { openDashboard, upgradeStatus } from './desk.ts'

function shop(ctx: PluginContext<undefined>): void {
  ctx.add(
    DashboardRoutes,
    defineDashboardRoute({
      method: 'POST',
      path: '/api/things/:id',
      summary: 'Changes a thing',
      query: z.object({ loud: z.enum(['yes', 'no']).default('no') }),
      body: z.object({ size: z.number().max(10) }),
      response: z.object({ id: z.string(), size: z.number(), loud: z.string() }),
      handle: ({ params, body, query }) => ({ id: params['id'] ?? '', size: body.size, loud: query.loud }),
    }),
  )
  ctx.add(
    DashboardRoutes,
    defineDashboardRoute({
      method: 'GET',
      path: '/api/things/file',
      summary: 'A file',
      isDownload: true,
      handle: () => dashboardReply({ headers: { 'content-type': 'text/plain' }, body: 'bytes' }),
    }),
  )
  ctx.add(DashboardSockets, {
    path: '/api/echo',
    summary: 'Says back what it hears',
    isBinary: true,
    async handle({ frames, send, close }) {
      for await (const frame of frames) {
        if (frame === 'enough') return close(4409, 'taken over')
        await send(frame)
      }
    },
  })
}

/** The status of a request with headers that fetch would not send. */
function rawStatus(port: number, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, (reply) => {
      reply.resume()
      resolve(reply.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end()
  })
}

test('a route runs for the holder of the token, with its input checked, and for no other client', async () => {
  const { ask, token } = await openDashboard({ setup: shop })
  const good = { body: { size: 3 } }
  expect((await ask('POST', '/api/things/a%2Fb?loud=yes', good)).json).toEqual({ id: 'a/b', size: 3, loud: 'yes' })
  expect((await ask('POST', '/api/things/a', { ...good, headers: { authorization: `Bearer ${token}` } })).status).toBe(
    200,
  )
  for (const headers of [
    {},
    { 'x-svc-session-token': `${token}x` },
    { 'x-svc-session-token': '' },
    { cookie: token },
  ]) {
    const { status, json } = await ask('POST', '/api/things/a', { ...good, headers })
    expect({ status, json }).toEqual({ status: 401, json: { detail: 'Unauthorized', code: 'http_unauthorized' } })
  }
  expect((await ask('POST', `/api/things/a?token=${token}`, { ...good, headers: {} })).status).toBe(401)
  const wrong = await ask('POST', '/api/things/a', { body: { size: 11 } })
  expect(wrong.status).toBe(400)
  expect(wrong.json).toMatchObject({ code: 'input', param: 'size' })
  expect((await ask('POST', '/api/things/a?loud=maybe', good)).json).toMatchObject({ param: 'loud' })
  const broken = await ask('POST', '/api/things/a', { body: undefined })
  expect(broken.json).toMatchObject({ code: 'input', param: 'size' })
})

test('the status is public; what is not there is 404 in JSON', async () => {
  const { ask } = await openDashboard()
  expect((await ask('GET', '/api/status', { headers: {} })).json).toMatchObject({ status: 'ok', auth_required: false })
  const missing = await ask('GET', '/api/nothing')
  expect(missing.status).toBe(404)
  expect(missing.json.detail).toContain('/api/nothing')
})

test('a ticket opens one download or one WebSocket within 30 seconds, and nothing else', async () => {
  const clock = virtualClock()
  const { ask, socket } = await openDashboard({ setup: shop, clock })
  const ticket = async () => String((await ask('POST', '/api/auth/ws-ticket')).json.ticket)
  const first = await ticket()
  expect((await ask('GET', `/api/things/file?ticket=${first}`, { headers: {} })).text).toBe('bytes')
  expect((await ask('GET', `/api/things/file?ticket=${first}`, { headers: {} })).status).toBe(401)
  const second = await ticket()
  expect((await ask('POST', `/api/things/a?ticket=${second}`, { headers: {}, body: { size: 1 } })).status).toBe(401)
  expect(await upgradeStatus(socket(`/api/echo?ticket=${second}`))).toBe(101)
  expect(await upgradeStatus(socket(`/api/echo?ticket=${second}`))).toBe(401)
  const late = await ticket()
  await clock.advance(30_001)
  expect(await upgradeStatus(socket(`/api/ws?ticket=${late}`))).toBe(401)
})

test('a WebSocket takes the token in its address on this machine, bytes as bytes, and closes with a code of its own', async () => {
  const { socket, token } = await openDashboard({ setup: shop })
  expect(await upgradeStatus(socket('/api/echo'))).toBe(401)
  expect(await upgradeStatus(socket('/api/echo?token=wrong'))).toBe(401)
  const open = socket(`/api/echo?token=${token}`)
  await new Promise((resolve) => open.once('open', resolve))
  const heard: unknown[] = []
  open.on('message', (data: Buffer, isBinary: boolean) => heard.push(isBinary ? [...data] : String(data)))
  open.send('text')
  open.send(Buffer.from([0, 255]))
  open.send('enough')
  const closed = await new Promise((resolve) => open.once('close', (code, reason) => resolve([code, String(reason)])))
  expect(heard).toEqual(['text', [0, 255]])
  expect(closed).toEqual([4409, 'taken over'])
})

test('pages of other origins and names that lead here by rebinding are refused before anything happens', async () => {
  const { ask, socket, token, port } = await openDashboard({ setup: shop })
  const from = (origin: string) => ({ 'x-svc-session-token': token, origin })
  const own = await ask('POST', '/api/things/a', { headers: from('http://localhost:5173'), body: { size: 1 } })
  expect(own.status).toBe(200)
  expect(own.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
  for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'file://', 'chrome-extension://abc'])
    expect((await ask('GET', '/api/status', { headers: from(origin) })).status).toBe(403)
  const evil = socket(`/api/ws?token=${token}`, { origin: 'https://evil.example' })
  expect(await upgradeStatus(evil)).toBe(403)
  expect(await rawStatus(port, '/api/status', { host: 'evil.example' })).toBe(421)
})

test('a page without an origin gets nothing without the token, not even what is public', async () => {
  const { ask, socket, token } = await openDashboard()
  expect((await ask('GET', '/api/status', { headers: { origin: 'null' } })).status).toBe(401)
  const trusted = await ask('GET', '/api/status', { headers: { origin: 'null', 'x-svc-session-token': token } })
  expect(trusted.status).toBe(200)
  expect(trusted.headers.get('access-control-allow-origin')).toBe('null')
  expect(await upgradeStatus(socket('/api/ws', { origin: 'null' }))).toBe(401)
  expect(await upgradeStatus(socket(`/api/ws?token=${token}`, { origin: 'null' }))).toBe(101)
})

test('the token of the environment is used when it is hard to guess, and refused when it is not', async () => {
  const token = 'k3-9fjq-a81m-zz0q-plw7'
  expect((await openDashboard({ env: { SVC_DASHBOARD_SESSION_TOKEN: token } })).token).toBe(token)
  await expect(openDashboard({ env: { SVC_DASHBOARD_SESSION_TOKEN: 'aaaaaaaaaaaaaaaaaaaa' } })).rejects.toMatchObject({
    code: 'DASHBOARD_TOKEN_WEAK',
  })
})

test('where others can connect nothing listens without a login', async () => {
  await expect(openDashboard({}, { host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'DASHBOARD_NO_LOGIN',
    exposes: true,
  })
})

test('the JSON-RPC interface answers over the WebSocket, and a message that is no JSON ends nothing', async () => {
  const { socket, token } = await openDashboard()
  const open: WebSocket = socket(`/api/ws?token=${token}`)
  const heard: { id?: number; error?: { code: number }; result?: { methods: unknown[] } }[] = []
  open.on('message', (data) => heard.push(JSON.parse(String(data))))
  await new Promise((resolve) => open.once('open', resolve))
  open.send('{')
  open.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'no.such' }))
  open.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'rpc.discover' }))
  await expect.poll(() => heard.find(({ id }) => id === 2)?.result?.methods.length ?? 0).toBeGreaterThan(10)
  expect(heard.flatMap(({ error }) => error?.code ?? [])).toEqual([-32700, -32601])
  open.close()
})
