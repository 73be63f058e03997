/** Every route and every socket of the dashboard is asked without a credential, with a wrong one and with the right one. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Http } from 'svc/sdk/web'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { findManifest, pluginNames } from '../../../support/repository.ts'
import { openTestKernel } from './desk.ts'

/** What is open to everybody who can connect. All else needs the token. */
const PUBLIC = [
  'GET /api/auth/callback',
  'GET /api/auth/login',
  'GET /api/auth/providers',
  'GET /api/status',
  'POST /api/auth/password-login',
  'POST /api/cron/fire',
]

const plugins = pluginNames().filter((name) => {
  const manifest = findManifest(name)
  return manifest?.requires?.includes('dashboard') || manifest?.with?.includes('dashboard')
})

let desk: Awaited<ReturnType<typeof openTestKernel>>
beforeAll(async () => {
  desk = await openTestKernel({ plugins, home: mkdtempSync(join(tmpdir(), 'svc-matrix-')) })
})
afterAll(() => desk.kernel.stop())

function routes() {
  const [app] = desk.kernel.use(Http).apps()
  const all = app?.routes.filter(({ path }) => path.startsWith('/api/')) ?? []
  return { routes: all, sockets: app?.sockets ?? [] }
}

const ask = (method: string, path: string, headers: Record<string, string>) =>
  fetch(`${desk.url}${path.replaceAll(/:\w+/g, 'no-such-thing')}`, {
    method,
    headers: { ...headers, ...(method !== 'GET' && { 'content-type': 'application/json' }) },
    ...(method !== 'GET' && { body: '{"unknown":' }),
    signal: AbortSignal.timeout(50_000),
  })

test('there are routes for each subject', () => {
  expect(routes().routes.length).toBeGreaterThan(80)
})

test('the description names each route with its input, its output and who may ask', async () => {
  const reply = await fetch(`${desk.url}/api/openapi.json`, { headers: { 'x-svc-session-token': desk.token } })
  const { paths } = (await reply.json()) as {
    paths: Record<string, Record<string, { summary: string; security?: [] }>>
  }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, security }]) => ({ path, method, summary, security })),
  )
  expect(described).toHaveLength(routes().routes.length)
  expect(described.filter(({ summary }) => summary.length < 5)).toEqual([])
  const open = described.filter(({ security }) => security?.length === 0)
  expect(open.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(PUBLIC)
  expect(paths['/api/config']?.['put']).toMatchObject({
    requestBody: { content: { 'application/json': { schema: { required: ['edits'] } } } },
  })
})

test('without a credential, and with a wrong one, every route but the public ones is 401', async () => {
  for (const wrong of [{}, { 'x-svc-session-token': 'x'.repeat(43) }, { authorization: 'Bearer nothing' }]) {
    const asked = routes().routes.map(async ({ method, path }) => {
      const { status } = await ask(method, path, wrong as Record<string, string>)
      return status === 401 ? [] : [`${method} ${path}`]
    })
    expect((await Promise.all(asked)).flat().sort()).toEqual(PUBLIC)
  }
})

test('with the token every route is reached, and none fails on a request that makes no sense', async () => {
  // A stream does not end, and the checks of the installation take seconds.
  const finite = routes().routes.filter(({ path }) => !path.endsWith('/stream') && path !== '/api/health')
  const asked = finite.map(async ({ method, path }) => {
    const reply = await ask(method, path, { 'x-svc-session-token': desk.token })
    const text = await reply.text()
    return [401, 403, 405, 500].includes(reply.status) ? [[method, path, reply.status, text.slice(0, 200)]] : []
  })
  expect((await Promise.all(asked)).flat()).toEqual([])
})

test('every socket is closed to clients without a credential, before the upgrade', async () => {
  const status = (path: string) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`${desk.url.replace('http', 'ws')}${path}`)
      socket.once('open', () => {
        socket.terminate()
        resolve(101)
      })
      socket.once('unexpected-response', (_request, response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      socket.once('error', () => {})
    })
  for (const { path } of routes().sockets) {
    expect([path, await status(path)]).toEqual([path, 401])
    expect([path, await status(`${path}?token=wrong`)]).toEqual([path, 401])
    expect([path, await status(`${path}?token=${desk.token}`)]).toEqual([path, 101])
  }
})
