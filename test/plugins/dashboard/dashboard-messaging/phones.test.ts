/** Accounts of phones over the routes of the dashboard. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigFile } from 'svc/sdk/host'
import { fakePlatform, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openStandIn } from '../../../../plugins/messaging/platforms/platform-signal/stand-in/service.ts'
import { openDashboard } from '../dashboard/desk.ts'

const PLUGINS = ['dashboard-messaging', 'config', 'platform-signal', 'platform-telegram']
const PATH = '/api/messaging/signal/onboarding'

async function open(options: Parameters<typeof openDashboard>[0] = {}) {
  const signal = await openStandIn()
  onTestFinished(() => signal.close())
  const config = { platforms: { signal: signal.config } }
  const desk = await openDashboard({ plugins: PLUGINS, config, ...options })
  const start = async (body: object = {}) => (await desk.ask('POST', `${PATH}/start`, { body })).json
  const status = async (id: string) => (await desk.ask('GET', `${PATH}/${id}`)).json
  const waiting = () => expect.poll(() => signal.isLinking).toBe(true)
  return { ...desk, signal, start, status, waiting }
}

test('a phone scans the code, and its account and the people who may write are written', async () => {
  const { ask, kernel, signal, start, status, waiting } = await open()
  expect((await ask('GET', PATH)).json).toEqual({
    available: true,
    variable: 'SIGNAL_ACCOUNT',
    instructions: 'Signal, Settings, Linked devices',
  })
  const begun = await start()
  expect(begun).toMatchObject({ qr_payload: begun.deep_link, instructions: expect.stringContaining('Signal') })
  expect(begun.qr_payload).toMatch(/^sgnl:\/\/linkdevice\?/)
  expect(await status(begun.pairing_id)).toMatchObject({ status: 'waiting', account: null, error: null })
  await kernel
    .use(ConfigFile)
    .write([{ path: 'platforms.signal.allow_from', value: ['mine'] }], { author: 'a test', reason: 'a list' })
  const early = await ask('POST', `${PATH}/${begun.pairing_id}/apply`)
  expect(early).toMatchObject({ status: 409, json: { code: 'phone_link' } })
  await waiting()
  signal.scan(begun.qr_payload)
  await expect.poll(async () => (await status(begun.pairing_id)).status).toBe('ready')
  const applied = await ask('POST', `${PATH}/${begun.pairing_id}/apply`, {
    body: { allowed_user_ids: ['ada', 'mine'] },
  })
  expect(applied.json).toMatchObject({ ok: true, platform: { id: 'signal', configured: true } })
  const read = (file: string) => readFileSync(join(kernel.home, file), 'utf8')
  expect(read('.env')).toContain('SIGNAL_ACCOUNT=+15550100')
  expect(read('config.yaml')).toMatch(/allow_from:\s*(\[mine, ada\]|- mine\s+- ada)/)
  expect((await ask('GET', `${PATH}/${begun.pairing_id}`)).status).toBe(404)
})

test('an attempt ends when another begins, when it is withdrawn, and when the time is over', async () => {
  const clock = virtualClock(Date.now())
  const { ask, signal, start, status, waiting } = await open({ clock })
  const first = await start()
  await waiting()
  const second = await start()
  expect((await ask('GET', `${PATH}/${first.pairing_id}`)).status).toBe(404)
  await waiting()
  expect(() => signal.scan(first.qr_payload)).toThrow('Nothing waits')
  expect((await ask('DELETE', `${PATH}/${second.pairing_id}`)).json).toEqual({ ok: true })
  await expect.poll(() => signal.isLinking).toBe(false)
  const third = await start()
  await waiting()
  await clock.advance(300_000)
  await expect
    .poll(async () => status(third.pairing_id))
    .toMatchObject({
      status: 'failed',
      error: 'No phone has scanned the code in time.',
    })
  await expect.poll(() => signal.isLinking).toBe(false)
  const fourth = await start()
  await waiting()
  signal.scan(fourth.qr_payload, 'expire')
  await expect
    .poll(async () => status(fourth.pairing_id))
    .toMatchObject({
      status: 'failed',
      error: expect.stringContaining('timed out'),
    })
})

test('what cannot be linked is refused, and an id is that of its platform', async () => {
  const { ask, start, signal } = await open()
  expect((await ask('GET', '/api/messaging/telegram/onboarding')).json).toMatchObject({ available: false })
  const telegram = await ask('POST', '/api/messaging/telegram/onboarding/start', { body: {} })
  expect(telegram).toMatchObject({ status: 409, json: { code: 'phone' } })
  expect((await ask('GET', '/api/messaging/pigeon/onboarding')).status).toBe(404)
  const { pairing_id: id } = await start()
  expect((await ask('GET', `/api/messaging/telegram/onboarding/${id}`)).status).toBe(404)
  expect((await ask('DELETE', `/api/messaging/telegram/onboarding/${id}`)).status).toBe(404)
  signal.isMulti = false
  expect(await start({ env: { SIGNAL_HTTP_URL: signal.config['http_url'] } })).toMatchObject({
    detail: expect.stringContaining('it has one account'),
  })
})

test('the contact of a platform is told once a gateway has it', async () => {
  const fake = fakePlatform()
  const { kernel, ask } = await openDashboard({ plugins: [...PLUGINS, 'gateway'], with: [fake.plugin] })
  const { Gateway, Platforms } = await import('svc/sdk/platform')
  Object.assign(kernel.all(Platforms).get('fake') ?? {}, { contact: async () => 'https://chat.example/svc' })
  const find = async () =>
    (await ask('GET', '/api/messaging/platforms')).json.platforms.find((each: { id: string }) => each.id === 'fake')
  expect(await find()).toMatchObject({ contact: null })
  await kernel.use(Gateway).start()
  await expect.poll(find).toMatchObject({ state: 'connected', contact: 'https://chat.example/svc' })
})
