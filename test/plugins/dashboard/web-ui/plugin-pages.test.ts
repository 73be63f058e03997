import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { findBarriers, missingChromium } from '../../../support/browser.ts'
import { agreeTo } from '../../../support/consent.ts'
import { root } from '../../../support/repository.ts'
import { writeFiles } from '../../../support/temporary.ts'
import { openWebStage, type WebStage } from './stage.ts'

/** Pages and views that fail in each way, and one that asks for what it may not have. */
const BROKEN = {
  'plugin.json': JSON.stringify({
    ...{ name: 'broken-pages', version: '1.0.0', sdk: '^0.2.0', kind: 'service', description: 'Fails.' },
    with: ['dashboard'],
    contributes: {
      'dashboard-pages': ['throws', 'absent', 'no-export', 'curious'],
      'shared-views': ['failing', 'aside', 'foot'],
    },
  }),
  'index.js': `import { join } from 'node:path'
import { DashboardPages, SharedViews } from 'svc/sdk/dashboard'
export default {
  setup(ctx) {
    const folder = join(import.meta.dirname, 'page')
    const add = (name, more) => ctx.add(DashboardPages, { name, title: 'Page ' + name, folder, entry: name + '.js', ...more })
    for (const name of ['throws', 'absent', 'no-export']) add(name)
    add('curious', { uses: { routes: ['GET /api/sessions/:id/messages', 'GET /api/status'], methods: ['setup.status'] } })
    const fail = () => { throw new Error('out of ships') }
    ctx.add(SharedViews, { name: 'failing', title: 'Failing', place: 'page', blocks: fail })
    const blocks = () => [
      { type: 'heading', text: 'Aside' },
      { type: 'text', text: '<b>not bold</b>', tone: 'warning' },
      { type: 'facts', rows: [['Berths', '12']] },
      { type: 'list', items: ['one'] },
      { type: 'table', head: ['Name'], rows: [['Aurora']] },
      { type: 'progress', label: 'Full', value: 0.5 },
      { type: 'code', text: 'x = 1' },
      { type: 'commands', items: [{ label: 'Look', command: '/help' }] },
    ]
    ctx.add(SharedViews, { name: 'aside', title: 'Beside', place: 'logs:top', blocks })
    ctx.add(SharedViews, { name: 'foot', title: 'Foot', place: 'sidebar', blocks: () => [{ type: 'text', text: 'at the foot' }] })
  },
}
`,
  'page/throws.js': `export default () => { throw new Error('this page is at sea') }`,
  'page/no-export.js': `export const page = 1`,
  'page/curious.js': `export default (element, host) => { element.textContent = 'curious'; globalThis.host = host }`,
  'page/page.html': '<script>parent.taken = true</script>',
}

describe.skipIf(missingChromium())('pages of plugins in a browser', () => {
  let stage: WebStage
  let page: Page
  beforeAll(async () => {
    stage = await openWebStage(
      () => 'hello',
      async (home) => {
        cpSync(join(root, 'examples/page-plugin'), join(home, 'plugins/page-plugin'), { recursive: true })
        writeFiles(join(home, 'plugins/broken-pages'), BROKEN)
        for (const name of ['page-plugin', 'broken-pages']) agreeTo(home, name)
        setPlugins(home, { enabled: ['page-plugin', 'broken-pages'] })
      },
    )
    page = await stage.newPage('/chat')
    await link('Cups').waitFor()
  })
  afterAll(async () => stage?.close())

  const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })
  const card = (text: string) => page.getByRole('alert').filter({ hasText: text })

  /** The document in the frame of a page that has started. */
  const openFrame = async (name: string): Promise<Frame> => {
    await page.evaluate(`history.pushState(null, '', '/p/${name}')`)
    const handle = await page.locator('iframe').elementHandle()
    await page.locator('main .loading').waitFor({ state: 'detached' })
    const frame = await handle?.contentFrame()
    if (!frame) throw new Error('there is no frame')
    return frame
  }

  /** Runs in the frame; what it rejects with is returned as text. */
  const tryIn = (frame: Frame, code: string) =>
    frame.evaluate(`(async () => { try { return await (${code}) } catch (error) { return String(error.message) } })()`)

  test('a page with files of its own stands in the navigation, asks its route, and a view of the plugin follows', async () => {
    await page.getByRole('progressbar').waitFor()
    expect(await page.locator('.share').textContent()).toContain('0 of 4 cups')
    await link('Cups').click()
    const frame = await openFrame('cups')
    await frame.getByText('0').waitFor()
    await frame.getByRole('button', { name: 'Another cup' }).click()
    await frame.getByText('1 ☕').waitFor()
    expect(await page.title()).toBe('Cups · svc')
    await link('Chat').click()
    await page.locator('.share', { hasText: '1 of 4 cups' }).waitFor()
    await page.getByRole('button', { name: 'Another cup' }).click()
    const box = page.getByRole('textbox', { name: 'Message' })
    expect(await box.inputValue()).toBe('/coffee')
    await box.focus()
    await page.keyboard.press('Enter')
    await page.locator('.share', { hasText: '2 of 4 cups' }).waitFor()
  })

  test('a page looks and speaks as the web UI does, by keyboard too, and axe finds no barrier in it', async () => {
    const frame = await openFrame('cups')
    await frame.evaluate("document.querySelector('button').click()")
    await frame.getByText('3 ☕').waitFor()
    await page.getByRole('button', { name: 'Look and language' }).click()
    await page.getByLabel('Look', { exact: true }).selectOption('daylight')
    await page.getByLabel('Language').selectOption('ar')
    await expect.poll(() => frame.evaluate('document.documentElement.dataset.skin')).toBe('daylight')
    await expect.poll(() => frame.evaluate('document.documentElement.dir')).toBe('rtl')
    await page.locator('.preference-fields select').nth(1).selectOption('')
    await expect.poll(() => frame.evaluate('document.documentElement.lang')).toBe('en')
    const color = (within: Page | Frame) =>
      within.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent')")
    expect(await color(frame)).toBe(await color(page))
    expect(await findBarriers(page)).toEqual([])
    // Its heading is that of the page around it.
    const inside = await findBarriers(frame as unknown as Page)
    expect(inside.filter((barrier) => !barrier.startsWith('page-has-heading-one'))).toEqual([])
    await frame.getByRole('button', { name: 'Another cup' }).focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search pages, chats, tasks, skills and settings' }).fill('cups')
    await page.getByRole('option', { name: 'Page Cups' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('a page has no token, no storage, no network and no way to the page around it', async () => {
    const frame = await openFrame('curious')
    expect(await tryIn(frame, 'localStorage.length')).toMatch(/sandboxed|denied/i)
    expect(await tryIn(frame, 'parent.document.title')).toMatch(/cross-origin/i)
    expect(await tryIn(frame, "fetch('/api/status').then(() => 'reached')")).toMatch(/fetch/i)
    expect(await tryIn(frame, "import('data:text/javascript,export default 1').then(() => 'ran')")).not.toBe('ran')
    expect(await frame.evaluate('Object.keys(globalThis).filter((name) => name.includes("SVC"))')).toEqual([])
    expect(await page.evaluate('globalThis.taken')).toBeUndefined()
  })

  test('a page may ask for what it named and for routes of its plugin, and for nothing else', async () => {
    const frame = await openFrame('curious')
    const request = (method: string, path: string) =>
      tryIn(frame, `host.request('${method}', '${path}').then((value) => JSON.stringify(value))`)
    expect(await request('GET', '/api/status')).toContain('"status":"ok"')
    expect(await tryIn(frame, "host.call('setup.status').then(({ ok }) => ok)")).toBe(true)
    expect(await request('GET', '/api/plugins/broken-pages/nothing')).toContain('No such API endpoint')
    for (const [method, path] of [
      ['POST', '/api/status'],
      ['GET', '/api/env'],
      ['GET', '/api/sessions/a/b/messages'],
      ['GET', '/api/plugins/broken-pages/../../env'],
      ['GET', '/api/plugins/broken-pages/%2e%2e/%2e%2e/env'],
      ['GET', '/api/plugins/broken-pages-too/x'],
      ['GET', '//example.com/api/status'],
      ['GET', '/api/status?x=1'],
    ] as const)
      expect([path, await request(method, path)]).toEqual([path, expect.stringContaining('may not ask for')])
    expect(await tryIn(frame, "host.call('session.list')")).toContain('may not ask for session.list')
    await frame.evaluate("host.navigate('//example.com'); host.navigate('/logs')")
    await page.waitForURL(/\/logs$/)
  })

  test('a page that throws, is absent or is no page is a card with its plugin and the error; the rest goes on', async () => {
    for (const [title, said] of [
      ['Page throws', 'this page is at sea'],
      ['Page absent', 'imported module'],
      ['Page no-export', 'no function as default export'],
      ['Failing', 'out of ships'],
    ] as const) {
      await link(title).click()
      await card(said).waitFor()
      expect(await card(said).textContent()).toContain('The plugin broken-pages failed here')
      expect(await page.locator('iframe').count()).toBe(0)
      expect(await findBarriers(page)).toEqual([])
    }
    await link('Logs').click()
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
    const aside = page.locator('.card', { hasText: 'Beside' })
    await aside.getByText('<b>not bold</b>').waitFor()
    await aside.getByRole('cell', { name: 'Aurora' }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('navigation').getByText('at the foot').waitFor()
    expect(stage.faults).toEqual([])
  })

  test('a script that is not the one whose hash was told does not run', async () => {
    const other = await stage.newPage('/chat')
    const change = (pattern: string) =>
      other.route(pattern, async (route) => {
        const reply = await route.fetch()
        await route.fulfill({ response: reply, body: `${await reply.text()}\n;document.title='changed'` })
      })
    await change('**/plugins/cups/draw.js')
    await other.getByRole('link', { name: 'Cups', exact: true }).click()
    await other.getByRole('alert').filter({ hasText: 'The plugin page-plugin failed here' }).waitFor()
    await change('**/assets/system-*.js')
    await other.getByRole('link', { name: 'System', exact: true }).click()
    await other.getByText('This part could not be loaded.').waitFor()
    expect(await other.title()).not.toBe('changed')
    await other.unroute('**/assets/system-*.js')
    await other.close()
  })

  test('only scripts, styles and media of the folder are sent, and none that runs on its own', async () => {
    const reply = await fetch(`${stage.url}/api/pages`, { headers: { 'x-svc-session-token': stage.token } })
    const { pages } = (await reply.json()) as { pages: { name: string; frame?: { address: string } }[] }
    const address = pages.find(({ name }) => name === 'curious')?.frame?.address ?? ''
    const read = (path: string) => fetch(`${stage.url}${path}`)
    const frame = await read(address)
    expect(frame.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-scripts allow-forms; default-src 'none';.*connect-src 'none'/,
    )
    expect(await frame.text()).not.toContain(stage.token)
    const script = await read(`${address}curious.js`)
    expect(script.status).toBe(200)
    expect(script.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    for (const path of ['page.html', '../index.js', '..%2findex.js', '..%2fplugin.json', '.hidden.js'])
      expect([path, (await read(`${address}${path}`)).status]).toEqual([path, 404])
    expect((await read(address.replace('/curious/', '/nothing/'))).status).toBe(404)
    expect((await read(address.replace(/frames\/[^/]+/, 'frames/guessed'))).headers.get('content-type')).not.toMatch(
      /javascript/,
    )
  })

  test('a plugin that is disabled takes its pages away at once, and brings them back', async () => {
    await openFrame('cups')
    setPlugins(stage.home, { enabled: ['page-plugin', 'broken-pages'], disabled: ['page-plugin'] })
    await link('Cups').waitFor({ state: 'detached' })
    await page.getByText('There is no such page.').waitFor()
    await link('Page curious').waitFor()
    setPlugins(stage.home, { enabled: ['page-plugin', 'broken-pages'] })
    await link('Cups').waitFor()
    const frame = await openFrame('cups')
    await frame.getByText('0').waitFor()
  })

  test('a server that was started again shows its pages in an open window', async () => {
    const before = (await openFrame('cups')).url()
    await stage.restart()
    const address = () => tryIn(page.mainFrame(), "document.querySelector('iframe')?.src ?? ''")
    await expect.poll(address).toSatisfy((src) => src !== '' && src !== before)
    await page.frameLocator('iframe').getByRole('button', { name: 'Another cup' }).click()
    await page.frameLocator('iframe').getByText('1 ☕').waitFor()
  })
})

function setPlugins(home: string, plugins: object): void {
  const file = join(home, 'config.yaml')
  writeFileSync(file, stringify({ ...parse(readFileSync(file, 'utf8')), plugins }))
}
