/** Webhook routes as the dashboard changes them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

const PLUGINS = ['webhook', 'config']

test('a route is added, its secret is told once, and it is switched off and removed with its secret', async () => {
  const { ask, kernel } = await openDashboard({ plugins: PLUGINS })
  const body = { name: 'deploys', style: 'github', events: ['push'], prompt: 'Look at {ref}', deliver: 'telegram' }
  const { json } = await ask('POST', '/api/webhooks', { body })
  expect(json).toMatchObject({ ok: true, name: 'deploys', url: expect.stringContaining('/webhooks/deploys') })
  const { secret } = json
  expect(readFileSync(join(kernel.home, '.env'), 'utf8')).toContain(`WEBHOOK_DEPLOYS_SECRET=${secret}`)
  const listed = await ask('GET', '/api/webhooks')
  expect(listed.text).not.toContain(secret)
  expect(listed.json.subscriptions).toMatchObject([{ ...body, enabled: true, secret_set: true, can_change: true }])
  expect((await ask('POST', '/api/webhooks', { body })).status).toBe(409)
  const off = await ask('PUT', '/api/webhooks/deploys/enabled', { body: { enabled: false } })
  expect(off.json.subscription).toMatchObject({ enabled: false, prompt: 'Look at {ref}', secret_set: true })
  expect((await ask('GET', '/api/webhooks')).json.subscriptions[0].enabled).toBe(false)
  expect((await ask('DELETE', '/api/webhooks/deploys')).status).toBe(200)
  expect((await ask('GET', '/api/webhooks')).json.subscriptions).toEqual([])
  expect(readFileSync(join(kernel.home, '.env'), 'utf8')).not.toContain('WEBHOOK_DEPLOYS')
  expect((await ask('DELETE', '/api/webhooks/deploys')).status).toBe(404)
})

test('a route of config.yaml is shown and not changed, and one that could take nothing is refused', async () => {
  const secret = 'a-long-secret-of-this-test-8f3a2c'
  const { ask } = await openDashboard({
    plugins: PLUGINS,
    config: { platforms: { webhook: { routes: { fixed: { secret } } } } },
  })
  expect((await ask('GET', '/api/webhooks')).json.subscriptions).toMatchObject([{ name: 'fixed', can_change: false }])
  expect((await ask('PUT', '/api/webhooks/fixed/enabled', { body: { enabled: false } })).status).toBe(409)
  expect((await ask('DELETE', '/api/webhooks/fixed')).status).toBe(409)
  const bad = { name: 'only', deliver_only: true }
  expect(await ask('POST', '/api/webhooks', { body: bad })).toMatchObject({
    status: 400,
    json: { detail: expect.stringContaining('needs a prompt') },
  })
  expect((await ask('POST', '/api/webhooks', { body: { name: 'a b' } })).status).toBe(400)
})
