import { Credentials, SignInFlows } from 'svc/sdk/provider'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { OAuthService } from '../../../support/oauth-service.ts'

async function open(config: Record<string, unknown> = {}) {
  const clock = virtualClock()
  const service = new OAuthService({ clock, tokenUrl: 'https://portal.nousresearch.com/api/oauth/token' })
  const kernel = await testKernel({ plugins: ['portal', 'auth-device-code'], clock, config, net: service.net })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  expect(kernel.all(SignInFlows).get('nous:device-code')).toBeDefined()
  const add = () =>
    kernel.use(Credentials).add({
      provider: 'nous',
      key: 'agent-canary-0123456789',
      flow: 'nous:device-code',
      signedIn: {
        accessToken: 'agent-canary-0123456789',
        refreshToken: 'unknown-canary-1',
        expiresAt: 1,
        account: 'me',
      },
    })
  return { kernel, add, run: kernel.run }
}

test('without a sign-in the command to sign in is named, and the exit code is 1', async () => {
  const { run } = await open()
  expect(await run(['portal', 'status'])).toEqual({
    code: 1,
    err: '',
    out: 'No one is signed in to the Nous Portal. Sign in with `svc auth add nous`.\nSubscription: https://portal.nousresearch.com\n',
  })
})

test('a sign-in is shown, with whether it answers in chat and what runs on it, and no token', async () => {
  const { add, run } = await open({
    model: { provider: 'nous' },
    auxiliary: { title: { provider: 'groq', model: 'm' } },
  })
  await add()
  const { code, out } = await run(['portal'])
  expect([code, out]).toEqual([
    0,
    'Signed in as me, renewed automatically.\nIt answers in chat.\nSubscription: https://portal.nousresearch.com\n',
  ])
  const json = await run(['portal', 'status', '--json'])
  expect(JSON.parse(json.out)).toMatchObject({ logged_in: true, provider: 'nous', account: 'me' })
  expect(json.out).not.toContain('canary')
  const tools = (await run(['portal', 'tools'])).out
  expect(tools).toMatch(/^\+ chat +on the subscription$/m)
  expect(tools).toMatch(/^- title +groq$/m)
  expect(JSON.parse((await run(['portal', 'tools', '--json'])).out).tools[0]).toEqual({
    use: 'chat',
    provider: 'nous',
    on_subscription: true,
  })
})

test('a sign-in that the portal has ended is shown as that', async () => {
  const { kernel, add, run } = await open()
  await add()
  await expect(kernel.use(Credentials).take('nous', [])).rejects.toMatchObject({ code: 'CREDENTIALS_DEAD' })
  await kernel.use(Credentials).list('nous')
  const { code, out } = await run(['portal', 'status'])
  expect([code, out]).toEqual([1, expect.stringMatching(/^The sign-in has ended: .*invalid_grant.*svc auth add nous/)])
})
