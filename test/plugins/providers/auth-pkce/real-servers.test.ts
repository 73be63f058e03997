/** Both ways of a person at `oidc-provider`, a certified server of OAuth 2.0 and OpenID Connect. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { Clock, type PluginContext } from 'svc/sdk'
import type { OAuthTokens, SignInFlow } from 'svc/sdk/provider'
import type { SignInStep } from 'svc/sdk/sign-in'
import { testKernel } from 'svc/sdk/testing'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createFlow as createDeviceFlow } from '../../../../plugins/providers/auth-device-code/index.ts'
import { createFlow } from '../../../../plugins/providers/auth-pkce/index.ts'

const GRANTS = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']

// It says at length that its pages and keys are those for trying it out.
beforeAll(() => {
  for (const name of ['info', 'warn'] as const) vi.spyOn(console, name).mockImplementation(() => undefined)
  return () => vi.restoreAllMocks()
})

async function serve(): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'svc',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: GRANTS,
        response_types: ['code'],
      },
    ],
    features: { devInteractions: { enabled: true }, deviceFlow: { enabled: true } },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    cookies: { keys: ['one', 'two'] },
  } as ConstructorParameters<typeof Provider>[1])
  server.on('request', provider.callback())
  return issuer
}

/** A browser without script: it follows redirects, keeps cookies and sends the forms of pages, filled in. */
async function browse(start: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const cookies = new Map<string, string>()
  let [url, form] = [start, undefined as URLSearchParams | undefined]
  for (let step = 0; step < 30; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    })
    for (const each of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      cookies.set(name, value)
    }
    form = undefined
    const location = reply.headers.get('location')
    const page = await reply.text()
    if (location !== null) url = new URL(location, url).href
    else {
      const [, action = '', inner = ''] = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page) ?? []
      if (action === '') return page
      form = new URLSearchParams(fields)
      for (const [, name = '', value = ''] of inner.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
        form.set(name, value)
      url = new URL(action.replaceAll('&amp;', '&'), url).href
    }
  }
  throw new Error('the pages do not end')
}

/** With a clock whose waits are short. */
function impatient(use: Parameters<typeof createDeviceFlow>[1]['use']): typeof use {
  const clock = use(Clock)
  const quick: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback, options) => clock.after(ms, callback, options),
    sleep: (ms, each) => clock.sleep(Math.min(ms, 100), each),
  }
  return ((token: unknown) => (token === Clock ? quick : use(token as typeof Clock))) as typeof use
}

/** A flow of the plugin, at this server. */
async function open(make: (ctx: Parameters<typeof createDeviceFlow>[1], issuer: string) => SignInFlow) {
  const issuer = await serve()
  let flow: SignInFlow | undefined
  const plugin = {
    name: 'of-the-test',
    setup(ctx: PluginContext<undefined>) {
      flow = make(ctx, issuer)
    },
  }
  const kernel = await testKernel({ with: [plugin] })
  onTestFinished(() => kernel.stop())
  if (!flow) throw new Error('no flow')
  return { flow, issuer }
}

const common = { provider: 'acme', label: 'Acme', clientId: 'svc', scope: 'openid offline_access', page: '' }
const { signal } = new AbortController()

/** Each refresh token is good once; the second use ends the sign-in, also for the tokens that came of it. */
async function renewAndReuse(flow: SignInFlow, first: OAuthTokens): Promise<void> {
  expect(first).toMatchObject({ refreshToken: expect.any(String), expiresAt: expect.any(Number) })
  const second = await flow.refresh?.(first, signal)
  expect(second?.refreshToken).not.toBe(first.refreshToken)
  const third = second && (await flow.refresh?.(second, signal))
  expect(third?.accessToken).not.toBe(second?.accessToken)
  const reused = await flow.refresh?.(first, signal).catch((error: unknown) => error)
  expect(reused).toMatchObject({ code: 'SIGN_IN_ENDED', message: expect.stringContaining('invalid_grant') })
  if (third) await expect(flow.refresh?.(third, signal)).rejects.toMatchObject({ code: 'SIGN_IN_ENDED' })
}

test('a browser signs in, comes back to this machine, and the tokens are renewed', async () => {
  const { flow } = await open((ctx, issuer) =>
    createFlow(
      {
        ...{ ...common, kind: 'oauth', authorizeUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token` },
        ...{ returns: { port: 0, host: '127.0.0.1', path: '/callback' }, authorizeFields: { prompt: 'consent' } },
      },
      ctx,
    ),
  )
  let browsing: Promise<string> | undefined
  const show = (step: SignInStep) => {
    if (step.kind === 'open-url') browsing = browse(step.url, { login: 'me', password: 'x' })
  }
  const tokens = await flow.signIn({ say: () => undefined, show, ask: async () => undefined }, signal)
  expect(await browsing).toContain('You can close this window')
  await renewAndReuse(flow, tokens)
})

test('a code is entered at another device, and the tokens are renewed', async () => {
  const { flow } = await open((ctx, issuer) =>
    createDeviceFlow(
      {
        ...{ ...common, grant: 'standard', deviceUrl: `${issuer}/device/auth`, pollUrl: `${issuer}/token` },
        tokenUrl: `${issuer}/token`,
      },
      { log: ctx.log, use: impatient(ctx.use) },
    ),
  )
  let browsing: Promise<string> | undefined
  const show = (step: SignInStep) => {
    if (step.kind === 'show-code')
      browsing = browse(step.url, { user_code: step.code, login: 'me', password: 'x', confirm: 'yes' })
  }
  const tokens = await flow.signIn({ say: () => undefined, show, ask: async () => undefined }, signal)
  expect(await browsing).toMatch(/success/i)
  await renewAndReuse(flow, tokens)
})
