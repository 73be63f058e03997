/** The built program behind nginx with TLS and a path, set up with the words of the README; and a browser in front. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { stringify } from 'yaml'
import { findBarriers, missingChromium, setScheme } from '../../../support/browser.ts'
import { findFreePort, missingNginx, startNginx } from '../../../support/nginx.ts'
import { pluginFolder, read, root } from '../../../support/repository.ts'
import { upgradeStatus } from '../dashboard/desk.ts'
import { openWebStage, type WebStage } from '../web-ui/stage.ts'
import { PASSWORD, readAudit } from './stage.ts'

const BIN = join(root, 'dist/kernel/bin.cjs')

/** The block of the README, for the port of this dashboard. */
function location(port: number): string {
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(read(`${pluginFolder('dashboard-login')}/README.md`)) ?? []
  return block.replace('127.0.0.1:9119', `127.0.0.1:${port}`)
}

function setUp(home: string, publicUrl: string): void {
  const server = { public_url: publicUrl, trusted_proxies: ['127.0.0.1'] }
  appendFileSync(join(home, 'config.yaml'), stringify({ dashboard: { server } }))
  const env = { PATH: process.env['PATH'], SVC_HOME: home, HOME: home }
  const set = spawnSync(process.execPath, [BIN, 'dashboard', 'password'], { env, input: `${PASSWORD}\n`, cwd: home })
  if (set.status !== 0) throw new Error(String(set.stderr))
}

describe.skipIf(missingNginx() ?? missingChromium())('behind nginx', () => {
  let stage: WebStage
  let nginx: AsyncDisposable
  let context: BrowserContext
  let base: string
  let port: number
  beforeAll(async () => {
    port = await findFreePort()
    base = `https://127.0.0.1:${port}/agent`
    stage = await openWebStage(
      (words) => `You said: ${words}`,
      async (home) => setUp(home, base),
    )
    nginx = await startNginx(join(stage.work, 'nginx'), port, location(Number(new URL(stage.url).port)))
    const browser = stage.context.browser()
    if (!browser) throw new Error('the browser is gone')
    context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en', colorScheme: 'dark' })
    context.setDefaultTimeout(0)
  }, 240_000)
  afterAll(async () => {
    await nginx?.[Symbol.asyncDispose]()
    await stage?.close()
  })

  interface Asked {
    readonly method?: string
    readonly headers?: Record<string, string>
    readonly body?: unknown
    /** An address of this machine that it is asked from. */
    readonly from?: string
  }

  const ask = (path: string, { method = 'GET', headers = {}, body, from = '127.0.0.1' }: Asked = {}) =>
    new Promise<{ status: number; text: string; cookies: readonly string[] }>((resolve, reject) => {
      const typed = body === undefined ? {} : { 'content-type': 'application/json' }
      const options = { method, localAddress: from, rejectUnauthorized: false, headers: { ...typed, ...headers } }
      const asked = request(`${base}${path}`, options, (reply) => {
        let text = ''
        reply.on('data', (piece) => {
          text += String(piece)
        })
        reply.on('end', () =>
          resolve({ status: reply.statusCode ?? 0, text, cookies: reply.headers['set-cookie'] ?? [] }),
        )
      })
      asked.on('error', reject)
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const login = (password: string, more: Asked = {}) =>
    ask('/api/auth/password-login', { ...more, method: 'POST', body: { username: 'admin', password } })

  const signIn = async (page: Page) => {
    await page.getByRole('textbox', { name: 'Name' }).fill('admin')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
  }

  test('the cookie is for the path and for TLS, the page has the path and no token, and a WebSocket is opened', async () => {
    const { text } = await ask('/')
    expect(text).toContain('<base href="/agent/">')
    expect(text).not.toContain(stage.token)
    const { status, cookies } = await login(PASSWORD)
    expect(status).toBe(200)
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatch(/^__Secure-svc_login=\S+; Path=\/agent; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/)
    const cookie = cookies[0]?.split(';')[0] ?? ''
    const origin = new URL(base).origin
    const ticket = async () => {
      const drawn = await ask('/api/auth/ws-ticket', { method: 'POST', headers: { cookie, origin } })
      return `${base.replace('https', 'wss')}/api/ws?ticket=${(JSON.parse(drawn.text) as { ticket: string }).ticket}`
    }
    const open = (url: string, from: string) =>
      new WebSocket(url, { rejectUnauthorized: false, headers: { origin: from } })
    expect(await upgradeStatus(open(await ticket(), 'https://evil.example'))).toBe(403)
    expect(await upgradeStatus(open(await ticket(), origin))).toBe(101)
    expect((await ask('/api/auth/me', { headers: { cookie, origin: 'https://evil.example' } })).status).toBe(403)
    expect((await ask('/api/auth/me', { headers: { cookie, host: 'evil.example' } })).status).toBe(421)
    expect((await ask('/api/auth/me', { headers: { 'x-svc-session-token': stage.token } })).status).toBe(200)
  })

  test('on the machine itself the dashboard asks for the login, too: a proxy could stand before any request', async () => {
    const direct = await fetch(`${stage.url}/`)
    expect(await direct.text()).not.toContain(stage.token)
    expect((await fetch(`${stage.url}/api/auth/me`)).status).toBe(401)
  })

  test('the address of a person is the one that nginx saw, whatever the person says', async () => {
    await login('wrong horse battery', { from: '127.0.0.2', headers: { 'x-forwarded-for': '203.0.113.9' } })
    expect(readAudit(stage.home).at(-1)).toMatchObject({ message: 'login_failure', address: '127.0.0.2' })
  })

  test('a person signs in with the keyboard, on a page without barriers, and is led to where the page was', async () => {
    const page = await context.newPage()
    await page.goto(`${base}/logs`)
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/agent/login')
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    for (const scheme of ['dark', 'light'] as const) {
      await setScheme(page, scheme)
      expect([scheme, await findBarriers(page)]).toEqual([scheme, []])
    }
    await page.getByRole('textbox', { name: 'Name' }).fill('admin')
    await page.getByLabel('Password').fill('wrong horse battery')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('wrong')
    await signIn(page)
    await page.getByRole('heading', { name: 'Logs' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/agent/logs')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    await page.close()
  })

  test('a login that ends while a person types keeps the text, and sends it once behind the next login', async () => {
    const page = await context.newPage()
    await page.goto(`${base}/chat`)
    await signIn(page)
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill('a sentence about ')
    const env = { PATH: process.env['PATH'], SVC_HOME: stage.home, HOME: stage.home }
    spawnSync(process.execPath, [BIN, 'dashboard', 'logins', '--end'], { env, cwd: stage.home })
    await page.getByText('Your login has expired').waitFor()
    await message.pressSequentially('otters')
    expect(await message.inputValue()).toBe('a sentence about otters')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in' })
    await dialog.waitFor()
    expect(await findBarriers(page)).toEqual([])
    await signIn(page)
    await page.getByText('You said: a sentence about otters').waitFor()
    expect(await dialog.count()).toBe(0)
    await page.reload()
    await page.getByText('You said: a sentence about otters').waitFor()
    expect(await page.getByText('You said: a sentence about otters').count()).toBe(1)
    await page.close()
  })

  test('the token is in no log, of svc or of nginx', () => {
    const logs = [join(stage.work, 'nginx', 'access.log'), join(stage.home, 'logs', 'svc.log')]
    for (const file of logs) {
      const text = readFileSync(file, 'utf8')
      expect([file, text.includes(stage.token), text.includes(PASSWORD)]).toEqual([file, false, false])
    }
  })
})
