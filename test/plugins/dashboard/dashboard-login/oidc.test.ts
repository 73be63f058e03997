/** People sign in at `oidc-provider`, a certified server of OpenID Connect, and what goes wrong on the way. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { virtualClock } from 'svc/sdk/testing'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { config as loginConfig } from '../../../../plugins/dashboard/dashboard-login/config.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { type Browser, openLogin } from './stage.ts'

const SECRET = 'the-secret-of-svc-at-the-provider'
const HOUR = 3_600_000

// It says at length that its pages and keys are those for trying it out.
beforeAll(() => {
  for (const name of ['info', 'warn'] as const) vi.spyOn(console, name).mockImplementation(() => undefined)
  return () => vi.restoreAllMocks()
})

interface IdStageOptions {
  readonly allow?: readonly string[]
  /** Milliseconds by which the clock of svc is ahead. */
  readonly skewMs?: number
  readonly secret?: string
}

async function openProvider(options: IdStageOptions = {}) {
  const { allow = ['anna@example.com'], skewMs = 0, secret = SECRET } = options
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end()
  const server: Server = createServer((request, response) => answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stage = await openLogin({
    home: temporaryFolder(),
    clock: virtualClock(Date.now() + skewMs),
    config: { dashboard: { login: { oidc: { issuer, client_id: 'svc', name: 'Example', allow: [...allow] } } } },
    env: { SVC_DASHBOARD_OIDC_SECRET: secret },
  })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'svc',
        client_secret: SECRET,
        redirect_uris: [`${stage.desk.url}/api/auth/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@Example.com`, email_verified: id !== 'unverified' }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ['one', 'two'] },
  } as ConstructorParameters<typeof Provider>[1])
  const works = provider.callback()
  answer = works
  return {
    ...stage,
    issuer,
    /** Answers with 503, until it is back. */
    down() {
      answer = (_request, response) => void response.writeHead(503).end()
    },
    back() {
      answer = works
    },
  }
}

/** Follows a person through the pages of the provider. Returns the address that it sends the browser back to. */
async function visitProvider(browser: Browser, start: string, login: string, until: string): Promise<string> {
  let step: { readonly url: string; readonly form?: URLSearchParams } = { url: start }
  for (let each = 0; each < 20; each++) {
    if (step.url.startsWith(until)) return step.url
    const { url, form } = step
    const headers = { cookie: browser.cookie }
    const reply = await fetch(url, { redirect: 'manual', headers, ...(form && { method: 'POST', body: form }) })
    browser.keep(reply.headers)
    const page = await reply.text()
    const location = reply.headers.get('location')
    step = location === null ? fillIn(page, url, login) : { url: new URL(location, url).href }
  }
  throw new Error('the pages do not end')
}

/** The form of a page, filled in. */
function fillIn(page: string, url: string, login: string) {
  const [, action = '', inner = ''] = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page) ?? []
  if (action === '') throw new Error(page.slice(0, 500))
  const form = new URLSearchParams({ login, password: 'any' })
  for (const [, name = '', value = ''] of inner.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    form.set(name, value)
  return { url: new URL(action.replaceAll('&amp;', '&'), url).href, form }
}

type Stage = Awaited<ReturnType<typeof openProvider>>

/** Begins and signs in at the provider; the answer is not given to svc yet. */
async function comeBack({ desk }: Stage, browser: Browser, login = 'anna', next = '/chat/7'): Promise<string> {
  const begun = await browser.ask('GET', `/api/auth/login?provider=oidc&next=${encodeURIComponent(next)}`)
  expect(begun.status).toBe(303)
  return visitProvider(browser, begun.headers.get('location') ?? '', login, `${desk.url}/api/auth/callback`)
}

const landing = async (browser: Browser, address: string) => {
  const reply = await browser.ask('GET', address)
  return { to: reply.headers.get('location'), hasCookie: browser.cookies.has('svc_login') }
}

test('a person signs in at the provider and is led to where the page was', async () => {
  const stage = await openProvider()
  const { desk, browser, audit } = stage
  const person = browser()
  expect((await person.ask('GET', '/api/auth/providers')).json).toEqual({
    providers: [{ name: 'oidc', display_name: 'Example', supports_password: false }],
  })
  const begun = await person.ask('GET', '/api/auth/login?next=/chat/7')
  const sent = new URL(begun.headers.get('location') ?? '')
  expect(Object.fromEntries(sent.searchParams)).toMatchObject({
    code_challenge_method: 'S256',
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: `${desk.url}/api/auth/callback`,
  })
  expect(begun.headers.get('set-cookie')).toMatch(
    /^svc_login_start=[0-9a-f]{64}; Path=\/api\/auth; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )
  const address = await comeBack(stage, person)
  expect(await landing(person, address)).toEqual({ to: `${desk.url}/chat/7`, hasCookie: true })
  expect((await person.ask('GET', '/api/auth/me')).json).toMatchObject({
    user_id: 'anna@example.com',
    email: 'anna@example.com',
    provider: 'oidc',
  })
  expect(audit().map(({ message }) => message)).toEqual(['login_start', 'login_start', 'login_success'])
  const code = new URL(address).searchParams.get('code') ?? 'none'
  expect(JSON.stringify(audit())).not.toContain(code)
})

test('an answer that comes a second time, and a code in another login, open nothing', async () => {
  const stage = await openProvider()
  const { desk, browser } = stage
  const person = browser()
  const address = await comeBack(stage, person)
  await landing(person, address)
  const failed = (code: string) => ({ to: `${desk.url}/login?error=${code}`, hasCookie: false })
  person.cookies.delete('svc_login')
  expect(await landing(person, address)).toEqual(failed('login_state'))
  const again = new URL(await comeBack(stage, person))
  again.searchParams.set('code', new URL(address).searchParams.get('code') ?? '')
  expect(await landing(person, again.href)).toEqual(failed('login_oidc_failed'))
  // The first code ended with its reuse, and so did its login at the provider; a new one begins as ever.
  const fresh = browser()
  expect((await landing(fresh, await comeBack(stage, fresh))).hasCookie).toBe(true)
})

test('an answer of another browser, or with another state, or for no login, opens nothing and ends nothing', async () => {
  const stage = await openProvider()
  const { desk, browser } = stage
  const [victim, other] = [browser(), browser()]
  const address = await comeBack(stage, victim)
  await comeBack(stage, other)
  const refused = { to: `${desk.url}/login?error=login_state`, hasCookie: false }
  expect(await landing(other, address)).toEqual(refused)
  expect(await landing(browser(), address)).toEqual(refused)
  const changed = new URL(address)
  changed.searchParams.set('state', 'x'.repeat(43))
  expect(await landing(victim, changed.href)).toEqual(refused)
  expect(await landing(victim, `${desk.url}/api/auth/callback`)).toEqual(refused)
  expect(await landing(victim, `${desk.url}/api/auth/callback?code=x`)).toEqual(refused)
  expect((await landing(victim, address)).hasCookie).toBe(true)
})

test('an answer that claims to be of another provider is refused', async () => {
  const stage = await openProvider()
  const person = stage.browser()
  const address = new URL(await comeBack(stage, person))
  address.searchParams.set('iss', 'https://evil.example')
  expect(await landing(person, address.href)).toEqual({
    to: `${stage.desk.url}/login?error=login_oidc_failed`,
    hasCookie: false,
  })
})

test('a window that was closed leaves nothing behind, and its answer is too late after ten minutes', async () => {
  const stage = await openProvider()
  const person = stage.browser()
  const late = await comeBack(stage, person)
  await stage.clock.advance(600_001)
  expect((await landing(person, late)).to).toContain('error=login_state')
  const begun = await person.ask('GET', '/api/auth/login')
  expect(begun.headers.get('location')).toContain(stage.issuer)
})

test('a login that is cancelled at the provider says so', async () => {
  const stage = await openProvider()
  const person = stage.browser()
  const begun = await person.ask('GET', '/api/auth/login')
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const denied = new URLSearchParams({ error: 'access_denied', state, iss: stage.issuer })
  const { to } = await landing(person, `${stage.desk.url}/api/auth/callback?${denied}`)
  expect(to).toBe(`${stage.desk.url}/login?error=login_cancelled`)
})

test('who is not on the list does not get in, nor does an address of mail that is not verified; a subject does', async () => {
  const stage = await openProvider({ allow: ['anna@example.com', 'unverified@example.com', 'subject-7'] })
  const come = async (login: string) => {
    const person = stage.browser()
    return (await landing(person, await comeBack(stage, person, login))).to
  }
  expect(await come('otto')).toContain('error=login_not_allowed')
  expect(stage.audit().at(-1)).toMatchObject({ message: 'login_failure', code: 'LOGIN_NOT_ALLOWED' })
  expect(await come('unverified')).toContain('error=login_not_allowed')
  expect(await come('subject-7')).toBe(`${stage.desk.url}/chat/7`)
})

test('a provider that is down is named, before the login and on the way back; afterwards people sign in again', async () => {
  const stage = await openProvider()
  const person = stage.browser()
  stage.down()
  expect((await landing(person, '/api/auth/login')).to).toBe(`${stage.desk.url}/login?error=login_oidc_unreachable`)
  stage.back()
  const address = await comeBack(stage, person)
  stage.down()
  expect((await landing(person, address)).to).toContain('error=login_oidc_unreachable')
  stage.back()
  expect((await landing(person, await comeBack(stage, person))).hasCookie).toBe(true)
})

test('clocks that differ by half a minute are no trouble; by hours they are named', async () => {
  for (const skewMs of [30_000, -30_000]) {
    const stage = await openProvider({ skewMs })
    const person = stage.browser()
    expect([skewMs, (await landing(person, await comeBack(stage, person))).hasCookie]).toEqual([skewMs, true])
  }
  const ahead = await openProvider({ skewMs: 3 * HOUR })
  const person = ahead.browser()
  expect((await landing(person, await comeBack(ahead, person))).to).toContain('error=login_oidc_clock')
})

test('a wrong secret of svc at the provider is told, and is in no log', async () => {
  const stage = await openProvider({ secret: 'another-secret-than-that-of-svc' })
  const person = stage.browser()
  expect((await landing(person, await comeBack(stage, person))).to).toContain('error=login_oidc_failed')
  expect(stage.audit().at(-1)?.['detail']).toContain('SVC_DASHBOARD_OIDC_SECRET')
  expect(JSON.stringify(stage.audit())).not.toContain('another-secret')
})

test('a provider is asked over https, unless it is on this machine; and the list may not be empty', () => {
  const check = (issuer: string, allow: readonly string[]) =>
    loginConfig.safeParse({ oidc: { issuer, client_id: 'svc', allow } }).success
  expect(check('https://id.example', ['a@example.com'])).toBe(true)
  expect(check('http://localhost:3000', ['a@example.com'])).toBe(true)
  expect(check('http://id.example', ['a@example.com'])).toBe(false)
  expect(check('https://id.example', [])).toBe(false)
})
