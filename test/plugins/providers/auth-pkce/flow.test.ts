import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Credentials, SignInFlows } from 'svc/sdk/provider'
import type { SignInStep } from 'svc/sdk/sign-in'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { vendors } from '../../../../plugins/providers/auth-pkce/vendors.ts'
import { findSecrets, OAuthService, type OAuthServiceOptions, refusal } from '../../../support/oauth-service.ts'

const HOUR = 3_600_000

/** A kernel with the plugin and a service at the address of a vendor. */
async function open(provider: string, more: Partial<OAuthServiceOptions> = {}) {
  const vendor = vendors.find((each) => each.provider === provider)
  if (!vendor) throw new Error(`no ${provider}`)
  const clock = virtualClock()
  const service = new OAuthService({ clock, tokenUrl: vendor.tokenUrl, ...more })
  const kernel = await testKernel({ plugins: ['credentials', 'auth-pkce'], clock, net: service.net })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const flow = kernel.all(SignInFlows).get(`${provider}:oauth`)
  if (!flow) throw new Error('no flow')
  /** `browser` gets the address that was shown, and what it returns is pasted. */
  const signIn = (
    browser: (url: string) => string | Promise<string | undefined> | undefined,
    signal = new AbortController().signal,
  ) => {
    const steps: SignInStep[] = []
    const shown = withResolvers<string>()
    const person = {
      say: () => undefined,
      show: (step: SignInStep) => {
        steps.push(step)
        if (step.kind === 'open-url') shown.resolve(step.url)
      },
      ask: async () => browser(await shown.promise),
    }
    return Object.assign(flow.signIn(person, signal), { steps })
  }
  const pool = kernel.use(Credentials)
  /** Signs in and keeps it. */
  const keep = async () => {
    const paste = (url: string) => {
      const { code, state } = service.authorize(url)
      return `${code}#${state}`
    }
    const signedIn = await signIn(paste)
    return pool.add({ provider, key: signedIn.accessToken, flow: flow.name, signedIn })
  }
  return { kernel, clock, service, flow, signIn, pool, keep }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

test('a person opens an address, pastes the code with its state, and is signed in', async () => {
  const { service, signIn, clock } = await open('anthropic')
  const signing = signIn((url) => {
    const { code, state } = service.authorize(url)
    return ` ${code}#${state}\n`
  })
  const tokens = await signing
  expect(tokens).toMatchObject({ refreshToken: expect.stringContaining('refresh-'), expiresAt: clock.now() + HOUR })
  const [step] = signing.steps
  expect(step).toMatchObject({ kind: 'open-url', returns: 'paste', expiresAt: clock.now() + 15 * 60_000 })
  const { host, searchParams } = new URL(step?.kind === 'open-url' ? step.url : '')
  expect([host, Object.fromEntries(searchParams)]).toMatchObject(['claude.ai', { code: 'true', response_type: 'code' }])
  expect(service.asked).toMatchObject([
    { fields: { state: searchParams.get('state'), grant_type: 'authorization_code' } },
  ])
})

test.for([
  ['another state', (code: string) => `${code}#of-another-attempt`, /belongs to another sign-in/],
  ['no state', (code: string) => code, /not whole\. Paste all of it/],
  ['nothing', () => '', /No code was given/],
  [
    'a refusal',
    () => 'https://x.test/cb?error=access_denied&error_description=Not+now&state=STATE',
    /declined: Not now/,
  ],
  ['an error', () => 'https://x.test/cb?error=server_error&state=STATE', /The service refused: server_error/],
] as const)('what is pasted with %s is refused, and the service is not asked', async ([, toText, message]) => {
  const { service, signIn } = await open('anthropic')
  const signing = signIn((url) => {
    const { code, state } = service.authorize(url)
    return toText(code).replace('STATE', state)
  })
  await expect(signing).rejects.toThrow(message)
  expect(service.asked).toEqual([])
})

test('a code that was used before is refused, and the sentence says to begin again', async () => {
  const { service, signIn } = await open('anthropic')
  const signing = signIn((url) => {
    const { code, state } = service.authorize(url)
    service.redeem({ code, code_verifier: 'of-a-thief' })
    return `${code}#${state}`
  })
  await signing
  let pasted = ''
  const replayed = signIn((url) => {
    const { state } = service.authorize(url)
    pasted = `${service.asked[0]?.fields['code']}#${state}`
    return pasted
  })
  await expect(replayed).rejects.toMatchObject({
    code: 'SIGN_IN_FAILED',
    message: expect.stringMatching(/used before.*begin again/),
  })
})

test('the browser comes back to this machine, once, and what belongs to another attempt is ignored', async () => {
  const { service, signIn } = await open('xai-oauth')
  let browsing: Promise<readonly number[]> | undefined
  const tokens = await signIn((url) => {
    const { code, state } = service.authorize(url)
    const redirect = new URL(url).searchParams.get('redirect_uri') ?? ''
    const visit = async (query: string) => (await fetch(`${redirect}?${query}`).catch(() => undefined))?.status ?? 0
    const own = `code=${code}&state=${state}`
    browsing = (async () => [
      await visit('code=stolen&state=guessed'),
      await visit('error=access_denied&state=guessed'),
      ...(await Promise.all([visit(own), visit(own)])).sort(),
    ])()
    return undefined
  })
  expect(tokens.accessToken).toContain('access-')
  const [stolen, declined, ...own] = (await browsing) ?? []
  expect([stolen, declined, own.filter((status) => status === 200).length]).toEqual([404, 404, 1])
})

test('a browser on another machine: the address that it ends at is pasted', async () => {
  const { service, signIn } = await open('xai-oauth')
  const tokens = await signIn((url) => {
    const { code, state } = service.authorize(url)
    return `http://127.0.0.1:56121/callback?code=${code}&state=${state}`
  })
  expect(tokens.accessToken).toContain('access-')
})

test('a person who declines at the service ends it, also when the browser says so', async () => {
  const { service, signIn } = await open('xai-oauth')
  const signing = signIn(async (url) => {
    const { state } = service.authorize(url)
    await fetch(`${new URL(url).searchParams.get('redirect_uri')}?error=access_denied&state=${state}`)
    return undefined
  })
  await expect(signing).rejects.toMatchObject({ code: 'SIGN_IN_DENIED' })
})

test('a window that is closed ends it after 15 minutes, and a person who leaves at once; the port is free again', async () => {
  const { clock, signIn } = await open('xai-oauth')
  const late = signIn(() => undefined)
  await expect.poll(() => late.steps.length).toBe(1)
  await Promise.all([expect(late).rejects.toMatchObject({ code: 'SIGN_IN_EXPIRED' }), clock.advance(15 * 60_000)])
  const left = new AbortController()
  const leaving = signIn(() => undefined, left.signal)
  await expect.poll(() => leaving.steps.length).toBe(1)
  left.abort(new Error('The person left.'))
  await expect(leaving).rejects.toThrow('The person left.')
  const again = signIn(() => undefined, AbortSignal.timeout(50))
  await expect(again).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(again.steps).toHaveLength(1)
})

test('two sign-ins that want one port: the second says so', async () => {
  const { signIn } = await open('xai-oauth')
  const ended = new AbortController()
  const first = signIn(() => undefined, ended.signal)
  await expect.poll(() => first.steps.length).toBe(1)
  await expect(signIn(() => undefined)).rejects.toThrow(/port 56121 of this machine, which cannot be listened on/)
  ended.abort()
  await expect(first).rejects.toBeDefined()
})

test('a service that is down, and one that answers with a page, are told without a secret', async () => {
  const { service, signIn } = await open('anthropic')
  const paste = (url: string) => {
    const { code, state } = service.authorize(url)
    return `${code}#${state}`
  }
  service.broken = 1
  const down = await signIn(paste).catch((error: Error) => error.message)
  expect(down).toMatch(/^Anthropic cannot be reached to sign in: connect ECONNREFUSED/)
  const { service: other, signIn: signInThere } = await open('anthropic', {
    routes: { 'https://platform.claude.com/v1/oauth/token': () => ({ status: 503, body: '<html>Maintenance</html>' }) },
  })
  const page = (url: string) => {
    const { code, state } = other.authorize(url)
    return `${code}#${state}`
  }
  await expect(signInThere(page)).rejects.toThrow(
    'Anthropic answered with status 503 and not with JSON. Try again later.',
  )
})

test('OpenRouter gives a key that does not end, for a code that came back with the state', async () => {
  const routes = {
    'https://openrouter.ai/api/v1/auth/keys': ({ fields }: { fields: Readonly<Record<string, string>> }) =>
      service.redeem(fields) ? { body: { key: 'sk-or-v1-canary-0123', user_id: 'user-1' } } : refusal('invalid_code'),
  }
  const { service, signIn, flow } = await open('openrouter', { routes })
  const tokens = await signIn(async (url) => {
    const { code, state } = service.authorize(url)
    const callback = new URL(new URL(url).searchParams.get('callback_url') ?? '')
    callback.searchParams.set('code', code)
    expect(callback.searchParams.get('state')).toBe(state)
    await fetch(callback)
    return undefined
  })
  expect(tokens).toEqual({ accessToken: 'sk-or-v1-canary-0123', account: 'user-1' })
  expect(flow.refresh).toBeUndefined()
})

test('a token is renewed in time, each refresh token is used once, and calls that wait share one renewal', async () => {
  const { clock, service, pool, keep } = await open('anthropic')
  await keep()
  const first = (await pool.take('anthropic', []))?.key
  for (let hour = 0; hour < 3; hour++) {
    await clock.advance(HOUR)
    const keys = await Promise.all(Array.from({ length: 5 }, async () => (await pool.take('anthropic', []))?.key))
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).not.toBe(first)
  }
  expect(service.renewals()).toBe(3)
})

test('a service that gives no new refresh token keeps the old one good', async () => {
  const { clock, service, pool, keep } = await open('anthropic', { keepsRefreshToken: true })
  await keep()
  const used = new Set<string | undefined>()
  for (let hour = 0; hour < 3; hour++) {
    await clock.advance(HOUR)
    expect((await pool.take('anthropic', []))?.key).toContain('access-')
    used.add(service.asked.at(-1)?.fields['refresh_token'])
  }
  expect([service.renewals(), used.size]).toEqual([3, 1])
})

test('a sign-in that the service has ended is disabled once and names the command; nothing asks again', async () => {
  const { kernel, clock, service, pool, keep } = await open('anthropic')
  await keep()
  service.revoke()
  await clock.advance(HOUR)
  for (let call = 0; call < 5; call++)
    await expect(pool.take('anthropic', [])).rejects.toMatchObject({
      code: 'CREDENTIALS_DEAD',
      message: expect.stringContaining('`svc auth add anthropic`'),
    })
  await clock.advance(24 * HOUR)
  await expect(pool.take('anthropic', [])).rejects.toMatchObject({ code: 'CREDENTIALS_DEAD' })
  expect(service.renewals()).toBe(1)
  const [kept] = await pool.list('anthropic')
  expect(kept).toMatchObject({ status: 'dead', type: 'oauth', source: 'anthropic:oauth' })
  expect(findSecrets(kept?.error ?? '')).toEqual([])
  await keep()
  expect((await pool.take('anthropic', []))?.key).toContain('access-')
  await kernel.stop()
})

test('no file but auth.json has a token, and that only its user reads', async () => {
  const { kernel, clock, service, pool, keep } = await open('anthropic')
  await keep()
  service.revoke()
  await clock.advance(HOUR)
  await pool.take('anthropic', []).catch(() => undefined)
  const files = readdirSync(kernel.home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const withSecrets = files.filter(
    ({ parentPath, name }) => findSecrets(readFileSync(join(parentPath, name), 'latin1')).length > 0,
  )
  expect(withSecrets.map(({ name }) => name)).toEqual(['auth.json'])
  expect(statSync(join(kernel.home, 'auth.json')).mode & 0o077).toBe(0)
})
