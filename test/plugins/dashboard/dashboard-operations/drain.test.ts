/** The gateway is drained over HTTP by a program that has one secret, in another process than that of the gateway. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Gateway } from 'svc/sdk/platform'
import { fakePlatform, fakeProvider, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openTestKernel } from '../dashboard/desk.ts'

const SECRET = 'qJ7vN2xkW9mZ4tYb8RsL1cHdF6gPaE3uTi5oKwXyVnQ'
const EVENTUALLY = { timeout: 10_000, interval: 20 }

function gate() {
  let open = () => {}
  const closed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { closed, open }
}

/** A gateway that runs, of a home that a dashboard is opened for. */
async function openGateway(home: string) {
  const fake = fakePlatform()
  const running = gate()
  const model = fakeProvider([{ text: 'first', gate: running.closed }, 'second'])
  const kernel = await testKernel({
    home,
    plugins: ['gateway-cli'],
    with: [fake.plugin, model.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
    env: { SVC_GATEWAY_NO_SUPERVISE: '1' },
  })
  const stop = new AbortController()
  const run = kernel.run(['gateway'], { signal: stop.signal })
  onTestFinished(async () => {
    stop.abort()
    await run
    await kernel.stop()
  })
  const isReady = async () => JSON.parse((await kernel.run(['gateway', 'status', '--json'])).out).isReady === true
  await vi.waitFor(async () => expect(await isReady()).toBe(true), EVENTUALLY)
  return { kernel, fake, model, finish: running.open }
}

async function openDesk(home: string, env: Record<string, string> = { SVC_GATEWAY_DRAIN_SECRET: SECRET }) {
  const plugins = ['dashboard-login', 'dashboard-operations', 'gateway-cli']
  const desk = await openTestKernel({ home, plugins, env })
  onTestFinished(() => desk.kernel.stop())
  const drain = (body: unknown, authorization: string | undefined = `Bearer ${SECRET}`) =>
    desk.ask('POST', '/api/gateway/drain', { body, headers: authorization === '' ? {} : { authorization } })
  return { ...desk, drain, status: async () => (await desk.ask('GET', '/api/status', { headers: {} })).json }
}

function readAudit(home: string): Record<string, string>[] {
  const file = join(home, 'logs/dashboard-auth.log')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

test('turns under way end, new ones wait, a restart of the dashboard changes nothing, and cancel begins them', async () => {
  const home = temporaryFolder()
  const { kernel, fake, model, finish } = await openGateway(home)
  const desk = await openDesk(home)
  expect(await desk.status()).toMatchObject({
    gateway_running: true,
    gateway_busy: false,
    gateway_drainable: true,
  })
  await fake.say('ada', 'one')
  await vi.waitFor(() => expect(model.requests).toHaveLength(1), EVENTUALLY)
  const drained = await desk.drain({ action: 'drain', suppress_notification: true })
  expect([drained.status, drained.json]).toEqual([
    200,
    { ok: true, action: 'drain', requested_at: expect.any(Number), draining: true, busy: 1 },
  ])
  await fake.say('ada', 'two')
  await desk.kernel.stop()

  const next = await openDesk(home)
  expect(await next.status()).toMatchObject({
    gateway_running: true,
    gateway_state: 'draining',
    gateway_busy: true,
    gateway_drainable: false,
  })
  finish()
  await kernel.use(Gateway).idle()
  expect(fake.sent.map(({ text }) => text)).toEqual(['first'])
  const again = await next.drain({ action: 'drain' })
  expect(again.json).toMatchObject({ requested_at: drained.json.requested_at, draining: false })
  const seen = await next.ask('GET', '/api/gateway/status')
  expect(seen.json).toMatchObject({ running: true, state: 'draining', drained_at: drained.json.requested_at, busy: 0 })
  expect((await next.drain({ action: 'cancel' })).json).toEqual({ ok: true, action: 'cancel', was_draining: true })
  await vi.waitFor(() => expect(fake.sent.map(({ text }) => text)).toEqual(['first', 'second']), EVENTUALLY)
  expect((await next.drain({ action: 'cancel' })).json).toEqual({ ok: true, action: 'cancel', was_draining: false })
  expect(readAudit(home).filter(({ message }) => message === 'token_auth_success')).toHaveLength(4)
})

test('a missing, wrong, short or absent secret opens nothing, and the audit log has each without the secret', async () => {
  const home = temporaryFolder()
  const desk = await openDesk(home)
  const body = { action: 'drain' }
  expect((await desk.drain(body, '')).status).toBe(401)
  expect((await desk.drain(body, `Bearer ${SECRET.slice(0, -1)}x`)).status).toBe(401)
  expect((await desk.drain(body, `Basic ${SECRET}`)).status).toBe(401)
  // It opens this route and nothing else.
  const authorization = `Bearer ${SECRET}`
  for (const path of ['/api/gateway/status', '/api/config', '/api/env'])
    expect((await desk.ask('GET', path, { headers: { authorization } })).status).toBe(401)
  expect((await desk.ask('POST', '/api/gateway/stop', { body: {}, headers: { authorization } })).status).toBe(401)
  for (const [env, code] of [
    [{}, 'not-set'],
    [{ SVC_GATEWAY_DRAIN_SECRET: SECRET.slice(0, 42) }, 'weak'],
    [{ SVC_GATEWAY_DRAIN_SECRET: 'ab'.repeat(30) }, 'weak'],
  ] as const) {
    const other = await openDesk(home, env)
    const sent = 'SVC_GATEWAY_DRAIN_SECRET' in env ? env.SVC_GATEWAY_DRAIN_SECRET : SECRET
    expect((await other.drain(body, `Bearer ${sent}`)).status).toBe(401)
    expect(readAudit(home).at(-1)).toMatchObject({ message: 'token_auth_failure', code })
    await other.kernel.stop()
  }
  const audit = readAudit(home)
  expect(audit.map(({ code }) => code)).toEqual(['missing', 'wrong', 'missing', 'not-set', 'weak', 'weak'])
  expect(audit[0]).toMatchObject({
    level: 'warn',
    secret: 'drain',
    route: 'POST /api/gateway/drain',
    address: '127.0.0.1',
  })
  expect(JSON.stringify(audit)).not.toContain(SECRET.slice(0, 20))
})

test('without the plugin that writes the audit log the secret opens nothing, and the session token still does', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  disabled: [dashboard-login]\n')
  const desk = await openTestKernel({
    home,
    plugins: ['dashboard-operations', 'gateway-cli'],
    env: { SVC_GATEWAY_DRAIN_SECRET: SECRET },
  })
  onTestFinished(() => desk.kernel.stop())
  const ask = (headers?: Record<string, string>) =>
    desk.ask('POST', '/api/gateway/drain', { body: { action: 'drain' }, ...(headers && { headers }) })
  expect((await ask({ authorization: `Bearer ${SECRET}` })).status).toBe(401)
  const known = await ask()
  expect([known.status, known.json.code, known.json.detail]).toEqual([
    409,
    'gateway_not_running',
    'No gateway of this home runs. Start it: svc gateway start',
  ])
  const { json } = await desk.ask('GET', '/api/status')
  expect(json).toMatchObject({ gateway_running: false, gateway_state: null, gateway_drainable: false })
})
