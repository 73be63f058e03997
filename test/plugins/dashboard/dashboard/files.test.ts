import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DashboardFiles } from 'svc/sdk/dashboard'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { expect, test } from 'vitest'
import { type Desk, openDashboard } from './desk.ts'

const script = `console.log(${JSON.stringify('x'.repeat(5000))})`

/** A web UI of two files, and what must not leave its folder. */
async function openPages(proxies: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pages-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><html><head><title>svc</title></head><body></body></html>')
  writeFileSync(join(folder, 'assets/app-A1B2C3D4.js'), script)
  writeFileSync(join(folder, 'assets/plain.js'), 'plain()')
  writeFileSync(join(folder, '.env.js'), 'SECRET')
  writeFileSync(join(folder, 'notes.md'), 'notes')
  writeFileSync(join(folder, '..', 'svc-outside.js'), 'outside')
  symlinkSync(join(folder, '..', 'svc-outside.js'), join(folder, 'link.js'))
  return openDashboard({
    config: { plugins: { disabled: ['web-ui'] }, dashboard: { server: { trusted_proxies: proxies } } },
    setup: (ctx) => {
      ctx.add(DashboardFiles, { name: 'pages', prefix: '', folder, fallback: 'index.html' })
      ctx.add(DashboardFiles, { name: 'extra', prefix: '/dashboard-plugins/extra', folder: join(folder, 'assets') })
    },
  })
}

test('every address of the web UI is its page, which is told the token and loads only what is its own', async () => {
  const { ask, token } = await openPages()
  for (const path of ['/', '/sessions/abc', '/index.html']) {
    const { status, text, headers } = await ask('GET', path, { headers: {} })
    expect(status).toBe(200)
    expect(text).toContain(`window.__SVC_SESSION_TOKEN__="${token}"`)
    expect(text).toContain('window.__SVC_AUTH_REQUIRED__=false')
    const nonce = /<script nonce="([^"]+)">/.exec(text)?.[1]
    expect(headers.get('content-security-policy')).toContain(`script-src 'self' 'nonce-${nonce}';`)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    // Speech is played from data: URLs, and only dictation has a device.
    expect(headers.get('content-security-policy')).toContain("media-src 'self' data: blob:;")
    expect(headers.get('permissions-policy')).toBe('camera=(), geolocation=(), microphone=(self)')
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

test('the page knows its path behind a proxy that is trusted, and has no token then: others ask through it', async () => {
  const read = async (ask: Desk['ask'], headers: Record<string, string>) => (await ask('GET', '/', { headers })).text
  const { ask, token } = await openPages(['127.0.0.1'])
  const proxied = await read(ask, { 'x-forwarded-prefix': '/tools/svc/' })
  expect(proxied).toContain('<base href="/tools/svc/">')
  expect(proxied).toContain('window.__SVC_AUTH_REQUIRED__=true')
  const forged = await read(ask, { 'x-forwarded-prefix': '//evil.example/"><script>' })
  expect(forged).toContain('<base href="/">')
  expect(forged).not.toContain('evil')
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-prefix'])
    expect([header, (await read(ask, { [header]: '10.0.0.5' })).includes(token)]).toEqual([header, false])
  expect(await read(ask, {})).toContain(token)
  const unknown = await openPages()
  expect(await read(unknown.ask, { 'x-forwarded-prefix': '/tools/svc' })).toContain('<base href="/">')
})

test.runIf(process.platform === 'linux')(
  'a program that the agent started gets the page without the token',
  async () => {
    const { url, token } = await openPages()
    const read = (env: Record<string, string>) => {
      const script = `fetch(${JSON.stringify(url)}).then((reply) => reply.text()).then((text) => console.log(text))`
      const child = spawn(process.execPath, ['-e', script], { env: { PATH: process.env['PATH'] ?? '', ...env } })
      return new Promise<string>((resolve) => {
        let text = ''
        child.stdout.on('data', (chunk) => {
          text += String(chunk)
        })
        child.once('close', () => resolve(text))
      })
    }
    expect(await read({})).toContain(token)
    const agents = await read({ [AGENT_PROCESS_VARIABLE]: 'terminal' })
    expect(agents).toContain('window.__SVC_AUTH_REQUIRED__=true')
    expect(agents).not.toContain(token)
  },
)

test('an API path is never a page', async () => {
  const { ask } = await openPages()
  const { status, json } = await ask('GET', '/api/nothing/here', { headers: {} })
  expect(status).toBe(404)
  expect(json).toEqual({ detail: 'No such API endpoint: /api/nothing/here', code: 'route_unknown' })
  expect((await ask('POST', '/sessions/abc', { headers: {} })).status).toBe(404)
})

test('files are compressed, named by their content, and asked for once', async () => {
  const { ask } = await openPages()
  const { headers, text } = await ask('GET', '/assets/app-A1B2C3D4.js', { headers: { 'accept-encoding': 'gzip' } })
  expect(text).toBe(script)
  expect(headers.get('content-encoding')).toBe('gzip')
  expect(Number(headers.get('content-length'))).toBeLessThan(500)
  expect(headers.get('cache-control')).toContain('immutable')
  const etag = headers.get('etag') ?? ''
  expect((await ask('GET', '/assets/app-A1B2C3D4.js', { headers: { 'if-none-match': etag } })).status).toBe(304)
  const plain = await ask('GET', '/dashboard-plugins/extra/plain.js', { headers: {} })
  expect(plain.text).toBe('plain()')
  expect(plain.headers.get('cache-control')).toBe('no-cache')
})

test('nothing leaves the folder: dots, links, other suffixes and encoded slashes are no files', async () => {
  const { ask } = await openPages()
  const paths = [
    '/.env.js',
    '/link.js',
    '/notes.md',
    '/assets/..%2f..%2fsvc-outside.js',
    '/assets/%2e%2e/.env.js',
    '/no.js',
  ]
  for (const path of paths) {
    const { status, text } = await ask('GET', path, { headers: {} })
    expect({ path, status }).toEqual({ path, status: 404 })
    expect(text).not.toMatch(/SECRET|outside\b.*outside|notes\n/)
  }
  expect((await ask('GET', '/dashboard-plugins/extra/', { headers: {} })).status).toBe(404)
})

test('without pages the server is for programs only', async () => {
  const { ask } = await openDashboard(
    {
      setup: (ctx) => void ctx.add(DashboardFiles, { name: 'pages', prefix: '', folder: '/', fallback: 'index.html' }),
    },
    { isHeadless: true },
  )
  const { status, json } = await ask('GET', '/', { headers: {} })
  expect(status).toBe(404)
  expect(json.detail).toBeTypeOf('string')
})
