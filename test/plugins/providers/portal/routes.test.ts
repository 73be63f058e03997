import { Credentials } from 'svc/sdk/provider'
import { expect, test } from 'vitest'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

const signedIn = {
  provider: 'nous',
  key: 'agent-canary-0123456789',
  flow: 'nous:device-code',
  signedIn: { accessToken: 'agent-canary-0123456789', account: 'me', baseUrl: 'https://own.example/v1' },
}

const open = (config: Record<string, unknown>) =>
  openDashboard({ plugins: ['portal', 'auth-device-code', 'auxiliary'], config })

test('without a sign-in the portal is described, and what is set to it is signed out', async () => {
  const { ask } = await open({ model: { provider: 'nous' }, auxiliary: { title: { provider: 'groq', model: 'm' } } })
  const { status, json } = await ask('GET', '/api/portal')
  expect([status, json]).toEqual([
    200,
    expect.objectContaining({
      ...{ logged_in: false, provider: 'nous', account: null, renewed: false, error: null },
      portal_url: 'https://portal.nousresearch.com',
      inference_url: 'https://inference-api.nousresearch.com/v1',
      subscription_url: 'https://portal.nousresearch.com/billing',
    }),
  ])
  expect(json.features).toContainEqual({ label: 'chat', state: 'signed-out', provider: 'nous' })
  expect(json.features).toContainEqual({ label: 'title', state: 'other', provider: 'groq' })
})

test('a sign-in is named with its own address and what runs on it, and no token is in the answer', async () => {
  const { ask, kernel } = await open({ model: { provider: 'nous' } })
  await kernel.use(Credentials).add(signedIn)
  const { json, text } = await ask('GET', '/api/portal')
  expect(json).toMatchObject({ logged_in: true, account: 'me', inference_url: 'https://own.example/v1' })
  expect(json.features).toContainEqual({ label: 'chat', state: 'subscription', provider: 'nous' })
  expect(text).not.toContain('canary')
})
