import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { Platforms } from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { expect, test } from 'vitest'
import { house } from '../../safety/access/houses.ts'
import { openDashboard } from '../dashboard/desk.ts'

const PLUGINS = ['dashboard-messaging', 'config']
const TOKEN = '123456:made-up-token-of-a-test'

/** A platform whose strangers are offered a code. */
const chat: InlinePlugin = {
  name: 'chat-of-the-test',
  contributes: { platforms: ['chat'] },
  setup: (ctx) => void ctx.add(Platforms, house('chat')),
}

interface Platform {
  readonly id: string
  readonly state: string
  readonly enabled: boolean
  readonly env_vars: readonly { readonly key: string; readonly is_set: boolean; readonly redacted_value: string }[]
}

test('a platform is set up, shown without its secrets, switched off, and cleared again', async () => {
  const { ask, kernel } = await openDashboard({ plugins: PLUGINS })
  const find = async (id: string): Promise<Platform> =>
    (await ask('GET', '/api/messaging/platforms')).json.platforms.find((each: Platform) => each.id === id)
  expect(await find('telegram')).toMatchObject({ state: 'not_configured', enabled: true, gateway_running: false })
  const env = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_HOME_CHANNEL: '42' }
  const set = await ask('PUT', '/api/messaging/platforms/telegram', { body: { enabled: true, env } })
  expect(set.text).not.toContain(TOKEN)
  expect(set.json.platform).toMatchObject({ state: 'gateway_stopped', configured: true })
  const { env_vars } = await find('telegram')
  expect(env_vars.find(({ key }) => key === 'TELEGRAM_BOT_TOKEN')).toMatchObject({ is_set: true, redacted_value: '…' })
  expect(env_vars.find(({ key }) => key === 'TELEGRAM_HOME_CHANNEL')).toMatchObject({ redacted_value: '42' })
  const read = (file: string) => readFileSync(join(kernel.home, file), 'utf8')
  expect(read('.env')).toContain(TOKEN)
  expect(read('config.yaml')).toContain('enabled: true')
  expect(read('config.yaml')).not.toContain(TOKEN)
  const test = await ask('POST', '/api/messaging/platforms/telegram/test')
  expect(test.json).toMatchObject({ ok: false, state: 'gateway_stopped' })
  const off = await ask('PUT', '/api/messaging/platforms/telegram', {
    body: { enabled: false, clear_env: Object.keys(env) },
  })
  expect(off.json.platform).toMatchObject({ state: 'disabled', enabled: false, configured: false })
  expect(read('.env')).not.toContain('TELEGRAM')
})

test('a platform that is not there, and a variable of another one, are refused before anything is written', async () => {
  const { ask } = await openDashboard({ plugins: PLUGINS })
  const body = { enabled: false, env: { DISCORD_BOT_TOKEN: TOKEN, TELEGRAM_BOT_TOKEN: TOKEN } }
  expect((await ask('PUT', '/api/messaging/platforms/pigeon', { body: {} })).status).toBe(404)
  expect(await ask('PUT', '/api/messaging/platforms/telegram', { body })).toMatchObject({
    status: 400,
    json: { code: 'platform_variable', detail: 'The platform telegram does not read DISCORD_BOT_TOKEN.' },
  })
  const clear = { clear_env: ['ANTHROPIC_API_KEY'] }
  expect((await ask('PUT', '/api/messaging/platforms/telegram', { body: clear })).status).toBe(400)
  expect((await ask('POST', '/api/messaging/platforms/pigeon/test')).status).toBe(404)
  expect((await ask('POST', '/api/messaging/platforms/pigeon/rehearse')).status).toBe(404)
  expect((await ask('GET', '/api/messaging/platforms')).text).not.toContain('"is_set":true')
})

test('a rehearsal says each step, and a fault that there is not is refused', async () => {
  const { ask } = await openDashboard({
    plugins: [...PLUGINS, 'rehearsal'],
    config: { platforms: { ntfy: { require_mention: false } } },
  })
  const { json } = await ask('POST', '/api/messaging/platforms/ntfy/rehearse', { body: { chaos: ['busy'] } })
  expect(json.ok).toBe(true)
  expect(json.steps).toContainEqual(expect.objectContaining({ name: 'connects', result: 'ok', advice: null }))
  expect(json.steps).toContainEqual(expect.objectContaining({ name: 'a send goes wrong: busy', result: 'ok' }))
  expect(json.steps).toContainEqual(expect.objectContaining({ name: 'answers everything', result: 'warning' }))
  const wrong = await ask('POST', '/api/messaging/platforms/ntfy/rehearse', { body: { chaos: ['meteor'] } })
  expect(wrong.status).toBe(400)
})

test('a person who waits is let in by the code and sent away; the code is never shown', async () => {
  const { ask, kernel } = await openDashboard({ plugins: [...PLUGINS, 'access'], with: [chat] })
  const ada = { platform: 'chat', chatId: '42', userId: '42' }
  const code = kernel.use(Access).requestPairing(ada, 'Ada')?.code ?? ''
  const waiting = await ask('GET', '/api/pairing')
  expect(waiting.json).toMatchObject({ pending: [{ user_id: '42', user_name: 'Ada' }], approved: [] })
  expect(waiting.text).not.toContain(code)
  const approve = (typed: string) => ask('POST', '/api/pairing/approve', { body: { platform: 'Chat', code: typed } })
  expect((await approve('AAAAAAAA')).status).toBe(400)
  expect((await approve(code)).json.user).toMatchObject({ platform: 'chat', user_id: '42' })
  expect((await ask('GET', '/api/pairing')).json).toMatchObject({ pending: [], approved: [{ user_id: '42' }] })
  const revoke = () => ask('POST', '/api/pairing/revoke', { body: { platform: 'chat', user_id: '42' } })
  expect((await revoke()).status).toBe(200)
  expect((await revoke()).status).toBe(404)
  kernel.use(Access).requestPairing({ ...ada, userId: '43' }, 'Bob')
  expect((await ask('POST', '/api/pairing/clear-pending')).json).toEqual({ ok: true, cleared: 1 })
})

test('after some wrong codes the platform is locked', async () => {
  const { ask } = await openDashboard({ plugins: [...PLUGINS, 'access'] })
  const statuses: number[] = []
  for (let at = 0; at < 12; at += 1)
    statuses.push(
      (await ask('POST', '/api/pairing/approve', { body: { platform: 'telegram', code: 'AAAAAAAA' } })).status,
    )
  expect(statuses[0]).toBe(400)
  expect(statuses.at(-1)).toBe(429)
})
