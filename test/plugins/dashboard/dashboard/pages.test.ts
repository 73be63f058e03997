import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { DashboardFiles, DashboardPages, SharedViews } from 'svc/sdk/dashboard'
import { Rpc } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { openDashboard } from './desk.ts'

const hash = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`

/** Two pages and views of them, around a frame of one line. */
async function openPages(add?: (ctx: PluginContext<undefined>) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pages-'))
  mkdirSync(join(folder, 'page/parts'), { recursive: true })
  writeFileSync(
    join(folder, 'frame.html'),
    '<!doctype html><html><head><title>%TITLE%</title></head><body></body></html>',
  )
  writeFileSync(join(folder, 'page/page.js'), 'entry')
  writeFileSync(join(folder, 'page/page.css'), 'style')
  writeFileSync(join(folder, 'page/parts/more.mjs'), 'more')
  writeFileSync(join(folder, 'page/evil.html'), '<script></script>')
  writeFileSync(join(folder, 'page/notes.md'), 'notes')
  const desk = await openDashboard({
    config: { plugins: { disabled: ['web-ui'] } },
    setup(ctx) {
      ctx.add(DashboardFiles, { name: 'frames', prefix: '/frames', folder, frame: 'frame.html' })
      const page = { folder: join(folder, 'page'), entry: 'page.js', style: 'page.css' }
      ctx.add(DashboardPages, { name: 'ships', title: 'Ships & "sails"', ...page, uses: { methods: ['session.list'] } })
      ctx.add(SharedViews, { name: 'sky', title: 'Sky', place: 'page', blocks: () => [{ type: 'text', text: 'blue' }] })
      ctx.add(SharedViews, {
        name: 'broken',
        title: 'Broken',
        place: 'sessions:top',
        blocks: ({ sessionId }) => {
          throw new Error(`no view of ${sessionId}`)
        },
      })
      add?.(ctx)
    },
  })
  const { pages } = (await desk.ask('GET', '/api/pages')).json as {
    pages: { name: string; frame?: { address: string } }[]
  }
  return { ...desk, folder, address: pages.find(({ name }) => name === 'ships')?.frame?.address ?? '' }
}

test('clients are told which pages and views there are, whose they are, and what a page may ask for', async () => {
  const { ask, address } = await openPages()
  const { json } = await ask('GET', '/api/pages')
  expect(json.pages).toEqual([
    { name: 'sky', title: 'Sky', plugin: 'of-the-test', group: 'insight' },
    {
      ...{ name: 'ships', title: 'Ships & "sails"', plugin: 'of-the-test', group: 'insight' },
      frame: { address, version: expect.stringMatching(/^.{16}$/), routes: [], methods: ['session.list'] },
    },
  ])
  expect(json.slots).toEqual([{ name: 'broken', title: 'Broken', plugin: 'of-the-test', place: 'sessions:top' }])
  expect((await ask('GET', '/api/pages', { headers: {} })).status).toBe(401)
})

test('a view is its blocks; one that fails is charged to its plugin, and one that is not there is 404', async () => {
  const { ask, kernel } = await openPages()
  expect((await ask('GET', '/api/pages/views/sky')).json).toEqual({ blocks: [{ type: 'text', text: 'blue' }] })
  const broken = await ask('GET', '/api/pages/views/broken?session_id=s1')
  expect(broken.status).toBe(502)
  expect(broken.json).toEqual({ detail: 'The plugin of-the-test failed here: no view of s1', code: 'view' })
  expect(kernel.plugins.problems().map(({ plugin }) => plugin)).toContain('of-the-test')
  expect((await ask('GET', '/api/pages/views/nothing')).status).toBe(404)
})

test('the document of a page names the hash of each script and style, and nothing of its title is markup', async () => {
  const { ask, address } = await openPages()
  const { text, headers } = await ask('GET', address, { headers: {} })
  const base = address.replace('plugins/ships/', '')
  expect(text).toContain(`<head><base href="${base}">`)
  expect(text).toContain('<title>Ships &#38; &#34;sails&#34;</title>')
  const map = JSON.parse(/<script type="importmap" nonce="\w+">(.+?)<\/script>/.exec(text)?.[1] ?? '{}')
  expect(map.integrity).toEqual({
    './plugins/ships/page.css': hash('style'),
    './plugins/ships/page.js': hash('entry'),
    './plugins/ships/parts/more.mjs': hash('more'),
  })
  expect(text).toContain(
    `<link rel="modulepreload" href="plugins/ships/page.js" integrity="${hash('entry')}" crossorigin></head>`,
  )
  expect(text).toContain(
    `<link rel="stylesheet" href="plugins/ships/page.css" integrity="${hash('style')}" crossorigin>`,
  )
  const nonce = /nonce="(\w+)"/.exec(text)?.[1]
  expect(headers.get('content-security-policy')).toBe(
    `sandbox allow-scripts allow-forms; default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'unsafe-inline'; ` +
      "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; connect-src 'none'; base-uri 'self'; " +
      "form-action 'none'; frame-ancestors 'self'",
  )
  expect(headers.get('permissions-policy')).toBe('camera=(), geolocation=(), microphone=()')
})

test('a page without an origin may read files of pages, and neither the page of the web UI nor other files', async () => {
  const { ask, address } = await openPages()
  const headers = { origin: 'null' }
  const script = await ask('GET', `${address}parts/more.mjs`, { headers })
  expect(script.text).toBe('more')
  expect(script.headers.get('access-control-allow-origin')).toBe('null')
  expect(script.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
  for (const path of ['evil.html', 'notes.md', 'absent.js', '..%2fframe.html', '../frame.html'])
    expect([path, (await ask('GET', `${address}${path}`, { headers })).status]).toEqual([path, 404])
  expect((await ask('GET', '/frames/frame.html', { headers })).status).toBe(401)
  expect((await ask('GET', '/api/pages', { headers })).status).toBe(401)
  expect((await ask('GET', address.replace(/frames\/[^/]+/, 'frames/x'), { headers: {} })).status).toBe(404)
})

test('another file has another version, so that an open page is loaded again', async () => {
  const { ask, folder } = await openPages()
  const version = async () => (await ask('GET', '/api/pages')).json.pages[1].frame.version as string
  const first = await version()
  expect(await version()).toBe(first)
  writeFileSync(join(folder, 'page/page.js'), 'another entry')
  expect(await version()).not.toBe(first)
})

test('who watches is told of views that change, as one, and of pages that come and go', async () => {
  const listeners = new Set<() => void>()
  const { kernel } = await openPages((ctx) => {
    ctx.add(SharedViews, {
      name: 'live',
      title: 'Live',
      place: 'composer',
      blocks: () => [],
      onChange(changed) {
        listeners.add(changed)
        return () => void listeners.delete(changed)
      },
    })
  })
  const told: { readonly type: string; readonly payload: { readonly pages?: readonly object[] } }[] = []
  const connection = kernel.use(Rpc).connect({
    cwd: '/',
    send: (text) => {
      const { params } = JSON.parse(text)
      if (params) told.push(params)
    },
  })
  onTestFinished(() => connection.close())
  for (const id of [1, 2]) connection.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'pages.watch' }))
  await expect.poll(() => listeners.size).toBe(1)
  for (let at = 0; at < 20; at++) for (const changed of listeners) changed()
  await expect.poll(() => told.map(({ type }) => type)).toEqual(['view.changed'])
  await kernel.plugins.disable('of-the-test')
  await expect.poll(() => told.at(-1)).toMatchObject({ type: 'pages.changed', payload: { pages: [], slots: [] } })
  expect(listeners.size).toBe(0)
})
