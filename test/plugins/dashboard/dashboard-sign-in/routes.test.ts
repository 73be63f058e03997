import { Credentials } from 'svc/sdk/provider'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { findSecrets, OAuthService } from '../../../support/oauth-service.ts'
import { openDashboard } from '../dashboard/desk.ts'

const BASE = '/api/providers/oauth'

/** A dashboard whose services to sign in to are in memory. */
async function open() {
  const clock = virtualClock()
  const anthropic = new OAuthService({ clock, tokenUrl: 'https://platform.claude.com/v1/oauth/token' })
  const xai = new OAuthService({
    clock,
    tokenUrl: 'https://auth.x.ai/oauth2/token',
    deviceUrl: 'https://auth.x.ai/oauth2/device/code',
  })
  const desk = await openDashboard({
    plugins: ['dashboard-sign-in', 'auth-pkce', 'auth-device-code', 'provider-openai', 'provider-anthropic'],
    clock,
    net: { request: (request) => (request.url.includes('x.ai') ? xai : anthropic).net.request(request) },
  })
  expect(desk.kernel.problems()).toEqual([])
  return { ...desk, clock, anthropic, xai, keys: () => desk.kernel.use(Credentials).list() }
}

test('a page signs in with a pasted code, and out again', async () => {
  const { ask, anthropic, keys } = await open()
  const before = (await ask('GET', BASE)).json.providers
  expect(before.map(({ id, flow }: { id: string; flow: string }) => `${id} ${flow}`)).toEqual([
    'anthropic pkce',
    'azure-foundry external',
    'azure-openai external',
    'copilot device_code',
    'copilot-acp external',
    'minimax-oauth device_code',
    'nous device_code',
    'openai-codex device_code',
    'openrouter pkce',
    'qwen-oauth external',
    'vertex external',
    'xai-oauth device_code',
  ])
  expect(before[0]).toMatchObject({ name: 'Anthropic', disconnectable: false, status: { logged_in: false } })
  const { json: started } = await ask('POST', `${BASE}/anthropic/start`, { body: { label: 'mine' } })
  expect(started).toMatchObject({ flow: 'pkce', returns: 'paste', expires_in: 900 })
  const poll = `${BASE}/anthropic/poll/${started.session_id}`
  expect((await ask('GET', poll)).json).toMatchObject({ status: 'pending', error_message: null })
  const { code, state } = anthropic.authorize(started.auth_url)
  const body = { session_id: started.session_id, code: `${code}#${state}` }
  const submitted = await ask('POST', `${BASE}/anthropic/submit`, { body })
  expect(submitted.json).toEqual({ ok: true, status: 'approved' })
  expect((await ask('GET', poll)).json).toMatchObject({ status: 'approved' })
  const after = await ask('GET', BASE)
  expect(after.json.providers[0]).toMatchObject({
    disconnectable: true,
    status: {
      logged_in: true,
      source: 'anthropic:oauth',
      has_refresh_token: true,
      token_preview: expect.stringMatching(/^\*\*\*.{4}$/),
    },
  })
  expect(findSecrets(after.text + submitted.text)).toEqual([])
  expect(await keys()).toMatchObject([{ provider: 'anthropic', label: 'mine' }])
  expect((await ask('DELETE', `${BASE}/anthropic`)).json).toEqual({ ok: true, provider: 'anthropic' })
  expect(await keys()).toEqual([])
})

test('a page shows a code for another device and asks until the person is done', async () => {
  const { ask, clock, xai, keys } = await open()
  xai.polls = ['authorization_pending', 'approved']
  const { json: started } = await ask('POST', `${BASE}/xai-oauth/start`)
  expect(started).toMatchObject({
    flow: 'device_code',
    user_code: 'WDJB-MJHT',
    verification_url: 'https://service.example/device',
    expires_in: 600,
    poll_interval: 5,
  })
  const poll = async () => (await ask('GET', `${BASE}/xai-oauth/poll/${started.session_id}`)).json.status
  await clock.advance(5000)
  expect(await poll()).toBe('pending')
  await clock.advance(5000)
  await expect.poll(poll).toBe('approved')
  expect(await keys()).toMatchObject([{ provider: 'xai-oauth', source: 'xai-oauth:device-code' }])
})

test('what is declined, wrong, foreign or over is told with its status, and nothing is kept', async () => {
  const { ask, clock, xai, anthropic, keys } = await open()
  xai.polls = ['access_denied']
  const device = (await ask('POST', `${BASE}/xai-oauth/start`)).json.session_id
  const pasted = (await ask('POST', `${BASE}/anthropic/start`)).json.session_id
  const early = await ask('POST', `${BASE}/xai-oauth/submit`, { body: { session_id: device, code: 'x#y' } })
  expect([early.status, early.json.code]).toEqual([400, 'sign_in_kind'])
  await clock.advance(5000)
  const pollDevice = async () => (await ask('GET', `${BASE}/xai-oauth/poll/${device}`)).json
  await expect
    .poll(pollDevice)
    .toMatchObject({ status: 'denied', error_message: expect.stringMatching(/declined at xAI/) })
  const wrong = { session_id: pasted, code: 'code#of-another' }
  const refused = (await ask('POST', `${BASE}/anthropic/submit`, { body: wrong })).json
  expect(refused).toMatchObject({
    ok: false,
    status: 'error',
    message: expect.stringMatching(/belongs to another sign-in/),
  })
  expect((await ask('POST', `${BASE}/anthropic/submit`, { body: wrong })).json).toMatchObject({ ok: false })
  const left = (await ask('POST', `${BASE}/anthropic/start`)).json.session_id
  expect((await ask('DELETE', `${BASE}/sessions/${left}`)).json).toEqual({ ok: true, session_id: left })
  expect((await ask('DELETE', `${BASE}/sessions/${left}`)).json).toMatchObject({ ok: false })
  expect((await ask('GET', `${BASE}/anthropic/poll/${left}`)).json).toMatchObject({ status: 'error' })
  expect((await ask('GET', `${BASE}/nous/poll/${left}`)).status).toBe(400)
  expect((await ask('GET', `${BASE}/anthropic/poll/unknown`)).status).toBe(404)
  expect((await ask('POST', `${BASE}/groq/start`)).status).toBe(400)
  const elsewhere = await ask('POST', `${BASE}/qwen-oauth/start`)
  expect(elsewhere).toMatchObject({ status: 400, json: { detail: expect.stringContaining('`qwen`') } })
  anthropic.broken = 1
  expect(await ask('POST', `${BASE}/nous/start`)).toMatchObject({
    status: 502,
    json: { detail: expect.stringMatching(/Nous Portal cannot be/) },
  })
  await clock.advance(30 * 60_000)
  expect((await ask('GET', `${BASE}/anthropic/poll/${left}`)).status).toBe(404)
  expect(await keys()).toEqual([])
})
