/**
 * The first steps with a sign-in instead of a key: a real browser in front of a kernel in this process, whose services to sign in to
 * are in memory (RFC 6749, RFC 7636, RFC 8628).
 */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { DashboardFiles } from 'svc/sdk/dashboard'
import { Credentials } from 'svc/sdk/provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBarriers, missingChromium, openBrowser, setScheme } from '../../../support/browser.ts'
import { findSecrets, OAuthService } from '../../../support/oauth-service.ts'
import { root } from '../../../support/repository.ts'
import { type Desk, openTestKernel } from '../dashboard/desk.ts'

describe.skipIf(missingChromium())('signing in during the first steps', () => {
  // The page asks again in real time, and so does the sign-in.
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const anthropic = new OAuthService({
    clock,
    tokenUrl: 'https://platform.claude.com/v1/oauth/token',
    // https://docs.claude.com/en/api/models-list
    routes: {
      'https://api.anthropic.com/v1/models': () => ({
        body: {
          data: [{ type: 'model', id: 'claude-made-up', display_name: 'Made up', created_at: '2026-01-01T00:00:00Z' }],
          has_more: false,
        },
      }),
    },
  })
  const xai = new OAuthService({
    clock,
    tokenUrl: 'https://auth.x.ai/oauth2/token',
    deviceUrl: 'https://auth.x.ai/oauth2/device/code',
  })
  const faults: string[] = []
  let desk: Desk
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    desk = await openTestKernel({
      plugins: [
        ...['dashboard-sign-in', 'dashboard-settings', 'auth-pkce', 'auth-device-code', 'config'],
        ...['provider-openai', 'provider-anthropic', 'portal', 'auxiliary'],
      ],
      setup: (ctx) => {
        const folder = join(root, 'dist/web-ui')
        ctx.add(DashboardFiles, { name: 'web-ui', prefix: '', folder, fallback: 'index.html', frame: 'frame.html' })
      },
      net: { request: (request) => (request.url.includes('x.ai') ? xai : anthropic).net.request(request) },
    })
    browser = await openBrowser()
    page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en' })).newPage()
    page.setDefaultTimeout(20_000)
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(`${desk.url}/welcome`)
  })
  afterAll(async () => {
    await browser?.close()
    await desk?.kernel.stop()
  })

  const card = () => page.locator('.card', { has: page.getByRole('heading', { name: 'By signing in' }) })
  const keys = () => desk.kernel.use(Credentials).list()
  const begin = async (service: string) => {
    await card().getByLabel('Service').selectOption(service)
    await card().getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  test('a service that another program signs in to is told with its command', async () => {
    await card().getByLabel('Service').selectOption('qwen-oauth')
    await card().getByText('Another program signs in').waitFor()
    expect(await card().locator('code').textContent()).toContain('qwen')
    expect(await card().getByRole('button').count()).toBe(0)
  })

  test('a code for another device is shown with its address, and axe finds no barrier', async () => {
    xai.polls = ['authorization_pending', 'access_denied']
    await begin('xai-oauth')
    await card().getByText('WDJB-MJHT', { exact: true }).waitFor()
    const link = card().getByRole('link', { name: /service\.example\/device/ })
    expect(await link.getAttribute('href')).toBe('https://service.example/device?user_code=WDJB-MJHT')
    expect(await link.getAttribute('rel')).toBe('noreferrer')
    for (const colorScheme of ['dark', 'light'] as const) {
      await setScheme(page, colorScheme)
      expect(await findBarriers(page)).toEqual([])
    }
  })

  test('what is declined there is told here, and can be tried again', async () => {
    await card().getByRole('alert').getByText('declined').waitFor()
    expect(await keys()).toEqual([])
    xai.polls = ['approved']
    await card().getByRole('button', { name: 'Try again' }).click()
    await card().getByText('WDJB-MJHT', { exact: true }).waitFor()
  })

  test('a sign-in that is left is over: nothing is stored of it', async () => {
    const ended = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await card().getByRole('button', { name: 'Cancel' }).click()
    await card().getByLabel('Service').waitFor()
    expect(await (await ended).json()).toMatchObject({ ok: true })
    expect(await keys()).toEqual([])
  })

  test('a pasted code signs in by keyboard; a wrong one is refused and the next one is taken', async () => {
    await card().getByLabel('Service').selectOption('anthropic')
    await card().getByRole('button', { name: 'Sign in', exact: true }).focus()
    await page.keyboard.press('Enter')
    const address = await card()
      .getByRole('link', { name: /Open the page of/ })
      .getAttribute('href')
    await card().getByLabel('Code').fill('wrong#state')
    await page.keyboard.press('Enter')
    await card().getByRole('alert').first().waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect(await keys()).toEqual([])
    await card().getByRole('button', { name: 'Try again' }).click()
    await expect
      .poll(() =>
        card()
          .getByRole('link', { name: /Open the page of/ })
          .getAttribute('href'),
      )
      .not.toBe(address)
    const next =
      (await card()
        .getByRole('link', { name: /Open the page of/ })
        .getAttribute('href')) ?? ''
    const { code, state } = anthropic.authorize(next)
    await card().getByLabel('Code').fill(`${code}#${state}`)
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await keys()).map(({ provider }) => provider)).toEqual(['anthropic'])
    expect(findSecrets(await page.content())).toEqual([])
  })

  test('the model of the service is chosen, and the chat opens', async () => {
    await page.waitForURL(/\/chat/)
  })

  test('the page of keys shows the subscription to the portal and what runs on it, as it is after each change', async () => {
    await page.goto(`${desk.url}/keys`)
    const portal = page.locator('.card', {
      has: page.getByRole('heading', { name: 'Subscription to the Nous Portal' }),
    })
    await portal.getByText('not signed in').waitFor()
    await portal.getByText('What runs on the subscription').click()
    const row = portal.getByRole('row', { name: /^chat/ })
    expect(await row.getByRole('cell').allTextContents()).toEqual(['chat', 'elsewhere', 'auto'])
    const link = portal.getByRole('link', { name: 'Manage the subscription' })
    expect(await link.getAttribute('href')).toBe('https://portal.nousresearch.com/billing')
    expect(await link.getAttribute('rel')).toBe('noreferrer')
    const signedIn = { accessToken: 'agent-canary-portal-1', account: 'otter@example.org' }
    const key = { provider: 'nous', key: signedIn.accessToken, flow: 'nous:device-code', label: 'portal', signedIn }
    await desk.kernel.use(Credentials).add(key)
    await page.reload()
    await portal.getByText('signed in', { exact: true }).waitFor()
    await portal.getByText('otter@example.org').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove portal' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await portal.getByText('not signed in').waitFor()
    expect(await page.content()).not.toContain('canary-portal')
    expect(faults).toEqual([])
  })
})
