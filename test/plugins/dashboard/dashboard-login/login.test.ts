/** People sign in with a password where others can reach the dashboard; cookies, and what old and stolen ones open. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { DashboardFiles } from 'svc/sdk/dashboard'
import { Plugins } from 'svc/sdk/host'
import { expect, test } from 'vitest'
import type WebSocket from 'ws'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openDashboard, upgradeStatus } from '../dashboard/desk.ts'
import { createHome, openLogin, openShell, PASSWORD } from './stage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const LOGIN = 'svc_login'

/** Instead of the web UI, which the build makes. */
function addPage(ctx: PluginContext<undefined>): void {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'page.html'), '<!doctype html><head></head>')
  ctx.add(DashboardFiles, { name: 'pages', prefix: '/pages', folder, fallback: 'page.html' })
}

/** Opens the WebSocket of the dashboard, and tells with which code it is closed. */
async function openSocket(socket: WebSocket): Promise<{ readonly closed: Promise<number> }> {
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return { closed }
}

test('without a way to sign in nothing listens where others can connect, and the message says what to do', async () => {
  for (const [config, served] of [
    [{}, { host: '0.0.0.0' }],
    [{ dashboard: { server: { public_url: 'https://svc.example/agent' } } }, {}],
  ] as const) {
    const refused = openDashboard({ plugins: ['dashboard-login'], config }, served)
    await expect(refused).rejects.toMatchObject({
      code: 'DASHBOARD_NO_LOGIN',
      exposes: true,
      message: expect.stringContaining('svc dashboard password'),
    })
  }
})

test('a guard that is switched off denies: nothing listens, and where it listens no cookie opens anything', async () => {
  const home = await createHome('admin')
  const config = { plugins: { disabled: ['dashboard-login'] } }
  await expect(openDashboard({ home, config }, { host: '0.0.0.0' })).rejects.toMatchObject({
    code: 'DASHBOARD_NO_LOGIN',
    message: expect.stringContaining('svc plugins'),
  })
  const { desk, browser } = await openLogin({ home })
  const person = browser()
  await person.login('admin')
  expect((await person.ask('GET', '/api/openapi.json')).status).toBe(200)
  await desk.kernel.use(Plugins).disable('dashboard-login')
  expect((await person.ask('GET', '/api/openapi.json')).status).toBe(401)
  expect((await desk.ask('GET', '/api/openapi.json')).status).toBe(200)
})

test('a person signs in, and the cookie is for this dashboard and its pages only', async () => {
  const { browser, audit } = await openLogin()
  const person = browser()
  expect((await person.ask('GET', '/api/status')).json).toMatchObject({ auth_required: true })
  expect((await person.ask('GET', '/api/auth/providers')).json).toEqual({
    providers: [{ name: 'password', display_name: 'Password', supports_password: true }],
  })
  expect((await person.ask('GET', '/api/auth/me')).status).toBe(401)
  const reply = await person.login('admin')
  expect({ status: reply.status, json: reply.json }).toEqual({ status: 200, json: { ok: true, next: '/' } })
  const cookie = reply.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^svc_login=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/)
  expect((await person.ask('GET', '/api/auth/me')).json).toMatchObject({ user_id: 'admin', provider: 'password' })
  const { sessions } = (await person.ask('GET', '/api/auth/sessions')).json
  expect(sessions).toMatchObject([{ user: 'admin', is_current: true, address: '127.0.0.1' }])
  const events = audit().map(({ message, user, address }) => ({ message, user, address }))
  expect(events.at(-1)).toEqual({ message: 'login_success', user: 'admin', address: '127.0.0.1' })
})

test('a page that is led to after the login is one of this dashboard', async () => {
  const { browser } = await openLogin()
  const led = async (next: string) =>
    (await browser().ask('POST', '/api/auth/password-login', { username: 'admin', password: PASSWORD, next })).json.next
  expect(await led('/chat/42?x=1')).toBe('/chat/42?x=1')
  for (const elsewhere of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/a\nb',
  ])
    expect(await led(elsewhere)).toBe('/')
})

test('who signs out has no cookie that opens anything, and what was open is closed', async () => {
  const { desk, browser, audit } = await openLogin()
  const person = browser()
  await person.login('admin')
  const stolen = person.cookies.get(LOGIN) ?? ''
  const { ticket } = (await person.ask('POST', '/api/auth/ws-ticket')).json
  const spare = (await person.ask('POST', '/api/auth/ws-ticket')).json.ticket
  const { closed } = await openSocket(desk.socket(`/api/ws?ticket=${ticket}`))
  const reply = await person.ask('POST', '/api/auth/logout')
  expect(reply.headers.get('set-cookie')).toContain('Max-Age=0')
  expect(await closed).toBe(4401)
  person.cookies.set(LOGIN, stolen)
  expect((await person.ask('GET', '/api/auth/me')).status).toBe(401)
  expect(await upgradeStatus(desk.socket(`/api/ws?ticket=${spare}`))).toBe(401)
  expect(audit().at(-1)).toMatchObject({ message: 'logout', user: 'admin' })
})

test('the cookie changes with use; the one before it is good for a minute, for requests at the same time', async () => {
  const { browser, clock } = await openLogin()
  const person = browser()
  await person.login('admin')
  const first = person.cookies.get(LOGIN)
  await clock.advance(9 * MINUTE)
  await person.ask('GET', '/api/auth/me')
  expect(person.cookies.get(LOGIN)).toBe(first)
  await clock.advance(2 * MINUTE)
  const before = { ...Object.fromEntries(person.cookies) }
  const replies = await Promise.all(
    [1, 2, 3].map(() => person.ask('GET', '/api/auth/me', undefined, { cookie: `${LOGIN}=${first}` })),
  )
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  const given = new Set(replies.map(({ headers }) => headers.get('set-cookie')))
  expect(given.size).toBe(1)
  const second = person.cookies.get(LOGIN)
  expect(second).not.toBe(before[LOGIN])
  // A reply was lost: the browser still has the first one.
  await clock.advance(MINUTE / 2)
  const again = await person.ask('GET', '/api/auth/me', undefined, { cookie: `${LOGIN}=${first}` })
  expect(again.headers.get('set-cookie')).toContain(`${LOGIN}=${second};`)
  await clock.advance(11 * MINUTE)
  expect((await person.ask('GET', '/api/auth/me')).status).toBe(200)
  expect(person.cookies.get(LOGIN)).not.toBe(second)
})

test('an old cookie that was copied ends the login for both', async () => {
  const { browser, clock, audit } = await openLogin()
  const person = browser()
  await person.login('admin')
  const kept = person.cookies.get(LOGIN)
  await clock.advance(11 * MINUTE)
  expect((await person.ask('GET', '/api/auth/me')).status).toBe(200)
  await clock.advance(MINUTE + 1)
  const thief = browser()
  expect((await thief.ask('GET', '/api/auth/me', undefined, { cookie: `${LOGIN}=${kept}` })).status).toBe(401)
  expect((await person.ask('GET', '/api/auth/me')).status).toBe(401)
  expect(audit().at(-1)).toMatchObject({ message: 'cookie_reuse', user: 'admin', level: 'warn' })
})

test('cookies that are made up, cut, of another home, or in another place open nothing and end nothing', async () => {
  const { browser } = await openLogin()
  const [person, other] = [browser(), (await openLogin()).browser()]
  await person.login('admin')
  await other.login('admin')
  const own = person.cookies.get(LOGIN) ?? ''
  const [id] = own.split('.')
  for (const cookie of [
    '',
    'x',
    `${'A'.repeat(43)}.${'A'.repeat(43)}`,
    own.slice(0, -1),
    `${id}.`,
    `${own}x`,
    other.cookies.get(LOGIN) ?? '',
  ])
    expect((await browser().ask('GET', '/api/auth/me', undefined, { cookie: `${LOGIN}=${cookie}` })).status).toBe(401)
  for (const path of [`/api/auth/me?token=${own}`, `/api/auth/me?ticket=${own}`])
    expect((await browser().ask('GET', path)).status).toBe(401)
  for (const headers of [{ 'x-svc-session-token': own }, { authorization: `Bearer ${own}` }])
    expect((await browser().ask('GET', '/api/auth/me', undefined, headers)).status).toBe(401)
  expect((await person.ask('GET', '/api/auth/me')).status).toBe(200)
})

test('a login ends when it is not used, and in any case after its days', async () => {
  const config = { dashboard: { login: { idle_hours: 10, max_days: 1 } } }
  const { browser, clock } = await openLogin({ config })
  const [idle, busy] = [browser(), browser()]
  await idle.login('admin')
  await busy.login('admin')
  await clock.jump(9 * HOUR)
  expect((await busy.ask('GET', '/api/auth/me')).status).toBe(200)
  await clock.jump(HOUR)
  expect((await idle.ask('GET', '/api/auth/me')).status).toBe(401)
  await clock.jump(8 * HOUR)
  expect((await busy.ask('GET', '/api/auth/me')).status).toBe(200)
  await clock.jump(6 * HOUR - 1)
  expect((await busy.ask('GET', '/api/auth/me')).status).toBe(200)
  await clock.jump(1)
  expect((await busy.ask('GET', '/api/auth/me')).status).toBe(401)
})

test('pages of other sites cannot use the cookie of a person', async () => {
  const { desk, browser } = await openLogin()
  const person = browser()
  await person.login('admin')
  const ask = async (method: string, headers: Record<string, string>) => {
    const cookie = person.cookie
    const reply = await fetch(`${desk.url}/api/auth/me`, { method, headers: { cookie, ...headers } })
    return reply.status
  }
  const { host, origin } = new URL(desk.url)
  expect(await ask('GET', {})).toBe(200)
  expect(await ask('GET', { origin })).toBe(200)
  expect(await ask('GET', { 'sec-fetch-site': 'same-origin' })).toBe(200)
  for (const foreign of ['https://evil.example', 'http://localhost:5173', `http://evil.${host}`])
    expect([foreign, await ask('GET', { origin: foreign })]).toEqual([foreign, 403])
  expect(await ask('GET', { origin: 'null' })).toBe(403)
  for (const site of ['cross-site', 'same-site']) expect(await ask('GET', { 'sec-fetch-site': site })).toBe(403)
  const post = async (headers: Record<string, string>) =>
    (await fetch(`${desk.url}/api/auth/ws-ticket`, { method: 'POST', headers: { cookie: person.cookie, ...headers } }))
      .status
  expect(await post({})).toBe(403)
  expect(await post({ 'sec-fetch-site': 'none' })).toBe(403)
  expect(await post({ origin })).toBe(200)
  // The cookie alone opens no WebSocket: a page of another site would send it, too.
  expect(await upgradeStatus(desk.socket('/api/ws', { cookie: person.cookie, origin }))).toBe(401)
  const forged = await browser().login('admin', PASSWORD, { origin: 'https://evil.example' })
  expect(forged.status).toBe(403)
  expect(forged.headers.get('set-cookie')).toBeNull()
})

test('the token opens everything there, is in no page, and is refused in an address', async () => {
  const { desk, browser } = await openLogin({ setup: addPage })
  expect((await desk.ask('GET', '/api/openapi.json')).status).toBe(200)
  expect((await desk.ask('GET', '/api/auth/me')).json).toMatchObject({ user_id: 'token', provider: 'token' })
  for (const wrong of [{ 'x-svc-session-token': `${desk.token}x` }, { authorization: 'Bearer x' }])
    expect((await desk.ask('GET', '/api/openapi.json', { headers: wrong })).status).toBe(401)
  expect(await upgradeStatus(desk.socket(`/api/ws?token=${desk.token}`))).toBe(401)
  const { ticket } = (await desk.ask('POST', '/api/auth/ws-ticket')).json
  expect(await upgradeStatus(desk.socket(`/api/ws?ticket=${ticket}`))).toBe(101)
  const page = (await browser().ask('GET', '/pages')).text
  expect(page).toContain('window.__SVC_AUTH_REQUIRED__=true')
  expect(page).not.toContain(desk.token)
})

test('a command ends all logins, and a new password those of its person', async () => {
  const home = await createHome('admin', 'anna')
  const { desk, browser, clock } = await openLogin({ home })
  const [admin, anna] = [browser(), browser()]
  await admin.login('admin')
  await anna.login('anna')
  const { ticket } = (await anna.ask('POST', '/api/auth/ws-ticket')).json
  const { closed } = await openSocket(desk.socket(`/api/ws?ticket=${ticket}`))
  await using shell = await openShell(home)
  await shell.run(['dashboard', 'password', 'anna'], 'another horse battery')
  expect((await anna.ask('GET', '/api/auth/me')).status).toBe(401)
  expect((await admin.ask('GET', '/api/auth/me')).status).toBe(200)
  // The change of another process is noticed with time.
  await clock.advance(31_000)
  expect(await closed).toBe(4401)
  expect((await anna.login('anna')).status).toBe(401)
  expect((await anna.login('anna', 'another horse battery')).status).toBe(200)
  const listed = JSON.parse(await shell.run(['dashboard', 'logins', '--json']))
  expect(listed).toMatchObject({ passwords: ['admin', 'anna'], logins: [{ user: 'anna' }, { user: 'admin' }] })
  expect(await shell.run(['dashboard', 'logins', listed.logins[0].id, '--end'])).toBe('Ended 1 login.\n')
  expect((await anna.ask('GET', '/api/auth/me')).status).toBe(401)
  expect(await shell.run(['dashboard', 'logins', '--end'])).toBe('Ended 1 login.\n')
  expect((await admin.ask('GET', '/api/auth/me')).status).toBe(401)
  await shell.run(['dashboard', 'password', 'anna', '--remove'])
  expect((await anna.login('anna', 'another horse battery')).status).toBe(401)
  await expect(shell.run(['dashboard', 'password', 'anna', '--remove'])).rejects.toThrow('svc dashboard logins')
})

test('a person ends all logins from a page', async () => {
  const { browser } = await openLogin()
  const [here, there] = [browser(), browser()]
  await here.login('admin')
  await there.login('admin')
  expect((await here.ask('DELETE', '/api/auth/sessions')).json).toEqual({ ended: 2 })
  expect((await here.ask('GET', '/api/auth/me')).status).toBe(401)
  expect((await there.ask('GET', '/api/auth/me')).status).toBe(401)
})

test('a short password is refused, and what was set before stays', async () => {
  const home = await createHome('admin')
  await using shell = await openShell(home)
  await expect(shell.run(['dashboard', 'password'], 'short')).rejects.toThrow('12 or more')
  await expect(shell.run(['dashboard', 'password'], '')).rejects.toThrow('No password was given')
  const { browser } = await openLogin({ home })
  expect((await browser().login('admin')).status).toBe(200)
})

test('no file of the home has a password, a cookie or the token in it, and those of the login are private', async () => {
  const { desk, browser, home, clock } = await openLogin()
  const person = browser()
  await person.login('admin')
  await person.login('admin', 'wrong horse battery')
  await clock.advance(11 * MINUTE)
  await person.ask('GET', `/api/auth/me?token=${desk.token}`)
  const [id, secret] = (person.cookies.get(LOGIN) ?? '').split('.')
  const { ticket } = (await person.ask('POST', '/api/auth/ws-ticket')).json
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  for (const { parentPath, name } of files) {
    const text = readFileSync(join(parentPath, name), 'latin1')
    for (const word of [PASSWORD, 'wrong horse battery', desk.token, id, secret, ticket])
      expect([name, text.includes(String(word))]).toEqual([name, false])
  }
  for (const name of ['accounts.json', 'logins.json', 'dashboard-auth.log']) {
    const found = files.find((each) => each.name === name)
    expect([name, found && statSync(join(found.parentPath, name)).mode & 0o077]).toEqual([name, 0])
  }
})

test('on this machine alone no person signs in, and cookies count for nothing', async () => {
  const home = await createHome('admin')
  const { browser } = await openLogin({ home, host: '127.0.0.1' })
  expect((await browser().login('admin')).json).toMatchObject({ code: 'login_not_needed' })
  expect((await browser().ask('GET', '/api/auth/providers')).json).toEqual({ providers: [] })
  const person = (await openLogin({ home })).browser()
  await person.login('admin')
  expect((await browser().ask('GET', '/api/auth/me', undefined, { cookie: person.cookie })).status).toBe(401)
})
