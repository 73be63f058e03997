import { Credentials, SignInFlows } from 'svc/sdk/provider'
import type { SignInStep } from 'svc/sdk/sign-in'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { vendors } from '../../../../plugins/providers/auth-device-code/vendors.ts'
import {
  findSecrets,
  newSecret,
  OAuthService,
  type OAuthServiceOptions,
  refusal,
  sleepless,
} from '../../../support/oauth-service.ts'

const PORTAL = 'https://portal.nousresearch.com/api/oauth'
const OPENAI = 'https://auth.openai.com'
const MINIMAX = 'https://api.minimax.io/oauth'

/** A kernel with the plugin and a service at the address of a vendor. */
async function open(provider: string, more: Partial<OAuthServiceOptions> = {}) {
  const vendor = vendors.find((each) => each.provider === provider)
  if (!vendor) throw new Error(`no ${provider}`)
  const clock = sleepless(virtualClock())
  const { tokenUrl, deviceUrl } = vendor
  const service = new OAuthService({ clock, tokenUrl, deviceUrl, ...more })
  const kernel = await testKernel({ plugins: ['credentials', 'auth-device-code'], clock, net: service.net })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const flow = kernel.all(SignInFlows).get(`${provider}:device-code`)
  if (!flow) throw new Error('no flow')
  const steps: SignInStep[] = []
  const person = { say: () => undefined, show: (step: SignInStep) => void steps.push(step), ask: async () => undefined }
  const signIn = (signal = new AbortController().signal) => flow.signIn(person, signal)
  return { kernel, clock, service, flow, steps, signIn, pool: kernel.use(Credentials) }
}

test('a person enters the code, and the service is asked at its interval until then', async () => {
  const { service, signIn, steps, clock } = await open('xai-oauth')
  service.polls = ['authorization_pending', 'authorization_pending', 'approved']
  const start = clock.now()
  const tokens = await signIn()
  expect(tokens).toMatchObject({
    refreshToken: expect.stringContaining('refresh-'),
    expiresAt: clock.now() + 3_600_000,
  })
  expect(steps).toEqual([
    {
      kind: 'show-code',
      code: 'WDJB-MJHT',
      url: 'https://service.example/device',
      completeUrl: 'https://service.example/device?user_code=WDJB-MJHT',
      expiresAt: start + 600_000,
      intervalMs: 5000,
    },
  ])
  expect(clock.slept).toEqual([5000, 5000, 5000])
})

test('slow_down is heeded from then on', async () => {
  const { service, signIn, clock } = await open('xai-oauth')
  service.polls = ['slow_down', 'authorization_pending', 'slow_down', 'approved']
  await signIn()
  expect(clock.slept).toEqual([5000, 10_000, 10_000, 15_000])
})

test.for([
  ['access_denied', 'SIGN_IN_DENIED', /declined at xAI/],
  ['expired_token', 'SIGN_IN_EXPIRED', /in time\. Begin again/],
  ['invalid_client', 'SIGN_IN_FAILED', /xAI refused: invalid_client/],
] as const)('%s ends it', async ([said, code, message]) => {
  const { service, signIn } = await open('xai-oauth')
  service.polls = ['authorization_pending', said]
  await expect(signIn()).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  expect(service.asked).toHaveLength(3)
})

test('a code that is not entered ends with its time, by the clock of this machine', async () => {
  const { service, signIn, clock } = await open('xai-oauth')
  service.polls = ['authorization_pending']
  await expect(signIn()).rejects.toMatchObject({ code: 'SIGN_IN_EXPIRED' })
  expect(clock.monotonic()).toBe(600_000)
})

test('a service that cannot be reached for a while is asked less and less often, and the sign-in goes on', async () => {
  const { service, signIn, clock } = await open('xai-oauth')
  service.polls = ['authorization_pending', 'approved']
  const signing = signIn()
  await expect.poll(() => service.asked.length).toBeGreaterThan(0)
  await signing
  const { service: other, signIn: signInThere, clock: there } = await open('xai-oauth')
  other.polls = ['approved']
  const request = other.net.request.bind(other.net)
  Object.assign(other.net, {
    request: (each: Parameters<typeof request>[0]) => {
      if (other.asked.length === 1) other.broken = 3
      return request(each)
    },
  })
  await signInThere()
  expect(clock.slept).toEqual([5000, 5000])
  expect(there.slept).toEqual([5000, 10_000, 20_000, 40_000])
})

test('a person who leaves ends it at once', async () => {
  const { service, signIn } = await open('xai-oauth')
  service.polls = ['authorization_pending']
  const left = new AbortController()
  left.abort(new Error('The person left.'))
  await expect(signIn(left.signal)).rejects.toThrow('The person left.')
})

test('a service that is down when it begins is told', async () => {
  const { service, signIn } = await open('nous')
  service.broken = 1
  await expect(signIn()).rejects.toThrow(/^Nous Portal cannot be reached to sign in: connect ECONNREFUSED/)
})

test('the Nous Portal: a short key is made of the token, and again with each renewal', async () => {
  const keys: unknown[] = []
  const routes = {
    [`${PORTAL}/agent-key`]: ({ headers, fields }: { headers: Readonly<Record<string, string>>; fields: object }) => {
      keys.push([headers['authorization']?.startsWith('Bearer access-'), fields])
      const body = {
        api_key: newSecret('agent'),
        expires_in: 1800,
        inference_base_url: 'https://inference-api.nousresearch.com/v1',
      }
      return { body }
    },
  }
  const { service, signIn, pool, clock } = await open('nous', { routes })
  const signedIn = await signIn()
  expect(signedIn).toMatchObject({
    accessToken: expect.stringContaining('agent-'),
    refreshToken: expect.stringContaining('refresh-'),
    expiresAt: clock.now() + 1_800_000,
    baseUrl: 'https://inference-api.nousresearch.com/v1',
  })
  await pool.add({ provider: 'nous', key: signedIn.accessToken, flow: 'nous:device-code', signedIn })
  await clock.advance(1_800_000)
  const taken = await pool.take('nous', [])
  expect(taken).toMatchObject({ key: expect.stringContaining('agent-'), type: 'oauth' })
  expect(taken?.key).not.toBe(signedIn.accessToken)
  expect(keys).toEqual([
    [true, { min_ttl_seconds: 1800 }],
    [true, { min_ttl_seconds: 1800 }],
  ])
  expect(service.renewals()).toBe(1)
})

test('the Nous Portal gives no key: a sign-in says why, a renewal keeps the new refresh token', async () => {
  let isPaid = false
  const routes = {
    [`${PORTAL}/agent-key`]: () =>
      isPaid ? { body: { api_key: newSecret('agent') } } : { status: 402, body: { error: 'no_subscription' } },
  }
  const { service, signIn, flow } = await open('nous', { routes })
  await expect(signIn()).rejects.toThrow('Nous Portal gave no key for models: no_subscription')
  isPaid = true
  const signedIn = await signIn()
  isPaid = false
  const { signal } = new AbortController()
  const unpaid = await flow.refresh?.(signedIn, signal)
  expect(unpaid?.refreshToken).not.toBe(signedIn.refreshToken)
  isPaid = true
  if (unpaid) expect((await flow.refresh?.(unpaid, signal))?.accessToken).toContain('agent-')
  expect(service.renewals()).toBe(2)
})

/** https://github.com/openai/codex, codex-rs/login/src/device_code_auth.rs. */
test('ChatGPT: 403 until the person is done, then a code that is redeemed, and the account of the token', async () => {
  const said = [
    { status: 403, body: {} },
    { status: 404, body: {} },
  ]
  const claims = Buffer.from(JSON.stringify({ 'https://api.openai.com/auth': { chatgpt_account_id: 'acc-1' } }))
  const { service, signIn, steps, clock } = await open('openai-codex', {
    routes: {
      [`${OPENAI}/api/accounts/deviceauth/usercode`]: ({ fields }) => {
        expect(fields).toEqual({ client_id: expect.stringMatching(/^app_/) })
        return { body: { device_auth_id: 'd-1', user_code: 'ABCD-EFGH', interval: '5' } }
      },
      [`${OPENAI}/api/accounts/deviceauth/token`]: ({ fields }) => {
        expect(fields).toEqual({ device_auth_id: 'd-1', user_code: 'ABCD-EFGH' })
        return said.shift() ?? { body: { authorization_code: 'code-1', code_verifier: 'verifier-1' } }
      },
      [`${OPENAI}/oauth/token`]: ({ fields }) => {
        expect(fields).toMatchObject({ code: 'code-1', redirect_uri: `${OPENAI}/deviceauth/callback` })
        const { expires_in: _, ...tokens } = service.grant()
        return { body: { ...tokens, id_token: `e30.${claims.toString('base64url')}.sig` } }
      },
    },
  })
  const tokens = await signIn()
  expect(steps).toMatchObject([{ code: 'ABCD-EFGH', url: `${OPENAI}/codex/device` }])
  expect(tokens).toMatchObject({ account: 'acc-1', expiresAt: clock.now() + 15 * 60_000 })
  expect(clock.slept).toEqual([5000, 5000, 5000])
})

/** The programs of https://platform.minimax.io/docs/coding-plan: `status` in the body, `expired_in` as a time. */
function minimax(
  more: { readonly state?: string; readonly status?: readonly string[]; readonly expired_in?: number } = {},
) {
  const said = [...(more.status ?? ['pending', 'success'])]
  return {
    [`${MINIMAX}/code`]: ({ fields }: { fields: Readonly<Record<string, string>> }) => ({
      body: {
        user_code: 'MM-1',
        verification_uri: 'https://www.minimax.io/oauth/authorize?user_code=MM-1',
        expired_in: more.expired_in ?? Date.UTC(2026, 0, 1) + 300_000,
        interval: 2000,
        state: more.state ?? fields['state'],
      },
    }),
    [`${MINIMAX}/token`]: ({ fields }: { fields: Readonly<Record<string, string>> }) => {
      if (fields['grant_type'] === 'refresh_token') return refusal('invalid_grant')
      expect(fields).toMatchObject({ user_code: 'MM-1', code_verifier: expect.stringMatching(/^[\w-]{43}$/) })
      const status = said.shift() ?? 'pending'
      if (status !== 'success') return { body: { status } }
      const tokens = { access_token: newSecret('access'), refresh_token: newSecret('refresh') }
      return { body: { status, ...tokens, expired_in: Date.UTC(2026, 0, 2) } }
    },
  }
}

test('MiniMax: a code with a verifier, and an end that is told as a time', async () => {
  const { signIn, clock } = await open('minimax-oauth', { routes: minimax() })
  expect(await signIn()).toMatchObject({ expiresAt: Date.UTC(2026, 0, 2) })
  expect(clock.slept).toEqual([2000, 2000])
})

test.for([
  [{ state: 'of-another' }, 'SIGN_IN_FAILED'],
  [{ status: ['error'] }, 'SIGN_IN_FAILED'],
  [{ status: ['pending', 'denied'] }, 'SIGN_IN_DENIED'],
  [{ status: ['pending', 'expired'] }, 'SIGN_IN_EXPIRED'],
  [{ status: [] }, 'SIGN_IN_EXPIRED'],
  // The clock of the service is a year ahead, or behind: the code lives for the usual time.
  [{ status: [], expired_in: Date.UTC(2027, 0, 1) }, 'SIGN_IN_EXPIRED'],
  [{ status: [], expired_in: Date.UTC(2025, 0, 1) }, 'SIGN_IN_EXPIRED'],
] as const)('MiniMax: %j ends with %s', async ([more, code]) => {
  const { signIn } = await open('minimax-oauth', { routes: minimax(more) })
  await expect(signIn()).rejects.toMatchObject({ code })
})

test('svc auth add shows the code and keeps the sign-in; nothing that it prints is a token', async () => {
  const clock = sleepless(virtualClock())
  const service = new OAuthService({
    clock,
    tokenUrl: 'https://auth.x.ai/oauth2/token',
    deviceUrl: 'https://auth.x.ai/oauth2/device/code',
  })
  const kernel = await testKernel({
    plugins: ['auth-cli', 'auth-device-code', 'provider-openai'],
    clock,
    net: service.net,
  })
  onTestFinished(() => kernel.stop())
  const { code, out, err } = await kernel.run(['auth', 'add', 'xai-oauth', '--flow', 'device-code'])
  expect({ code, err }).toEqual({
    code: 0,
    err: 'Open https://service.example/device in a browser and enter the code WDJB-MJHT\nor open https://service.example/device?user_code=WDJB-MJHT\n',
  })
  expect(out).toMatch(/^Kept for xai-oauth: .* xai-oauth:device-code\n/)
  const list = await kernel.run(['auth', 'list', '--json'])
  expect(JSON.parse(list.out)).toMatchObject([{ type: 'oauth', isRenewed: true, expiresAt: clock.now() + 3_600_000 }])
  expect(findSecrets(out + list.out)).toEqual([])
})
