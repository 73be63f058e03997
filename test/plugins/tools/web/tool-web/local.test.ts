import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { SafeFetch } from 'svc/sdk/web'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPage } from '../../../../../plugins/tools/web/tool-web/local.ts'
import { startWebsite, type Website } from './stage.ts'

type Answer = readonly [headers: Record<string, string>, body: string | Uint8Array, status?: number]

const html = { 'content-type': 'text/html; charset=utf-8' }
const text = '<p>Cats purr at a low pitch, breathing in and out, and nobody knows quite how they do it.</p>'.repeat(5)
const article = `<html><head><title>Purring</title><script>var secret = 1</script></head><body>
  <nav><a href="/home">Home</a></nav><article><h1>Purring</h1>${text}<p>See <a href="more?x=1">more</a>.</p></article></body></html>`
const gone = gzipSync(article).subarray(0, 60)

const pages: Readonly<Record<string, Answer>> = {
  '/article': [html, article],
  '/gzip': [{ ...html, 'content-encoding': 'gzip' }, gzipSync(article)],
  '/deflate': [{ ...html, 'content-encoding': 'deflate' }, deflateSync(article)],
  '/br': [{ ...html, 'content-encoding': 'br' }, brotliCompressSync(article)],
  '/damaged': [{ ...html, 'content-encoding': 'gzip' }, gone],
  '/unknown-packing': [{ ...html, 'content-encoding': 'zstd' }, article],
  '/bomb': [{ 'content-type': 'text/plain', 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(200_000_000, 'x'))],
  '/json': [{ 'content-type': 'application/json' }, '{"a": [1, 2]}'],
  '/plain': [{ 'content-type': 'text/plain' }, '<html>is shown as it is</html>\r\nsecond'],
  '/no-type': [{}, '<!-- c --><!DOCTYPE html><title>T</title><p>untyped'],
  '/wrong-type': [{ 'content-type': 'application/octet-stream' }, 'only words'],
  '/latin': [{ 'content-type': 'text/html' }, Buffer.from('<meta charset="iso-8859-1"><p>caf\xe9', 'latin1')],
  '/undeclared-latin': [{ 'content-type': 'text/plain' }, Buffer.from('caf\xe9', 'latin1')],
  '/utf16': [{ 'content-type': 'text/plain' }, Buffer.from('\ufeffcafé', 'utf16le')],
  '/shift-jis': [{ 'content-type': 'text/plain; charset=shift_jis' }, Buffer.from([0x93, 0xfa, 0x96, 0x7b])],
  '/pdf': [{ 'content-type': 'text/html' }, '%PDF-1.7 ...'],
  '/png': [{ 'content-type': 'text/html' }, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  '/garbage': [
    { 'content-type': 'application/x-thing' },
    Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 7) % 256)),
  ],
  '/missing': [html, '<h1>Not found</h1>', 404],
  '/empty': [html, '<html><head><title>App</title></head><body><script>run()</script></body></html>'],
  '/moved': [{ location: '/article' }, '', 302],
  '/deep': [html, `<title>Deep</title>${'<div>'.repeat(50_000)}bottom`],
  '/crowd': [html, `<p ${Array.from({ length: 50_000 }, (_, at) => `a${at}`).join(' ')}>inside`],
  '/formats': [html, `${Array.from({ length: 150 }, (_, at) => `<p><b id=${at}>`).join('')}${'<p>x'.repeat(20_000)}`],
}

let site: Website
let kernel: TestKernel
let endlessClosed: Promise<void>
beforeAll(async () => {
  let closed = () => {}
  endlessClosed = new Promise((resolve) => {
    closed = resolve
  })
  site = await startWebsite((request, response) => {
    if (request.url === '/endless') {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const block = Buffer.alloc(65_536, 'word ')
      const more = () => {
        while (!response.destroyed && response.write(block));
      }
      response.on('drain', more).on('close', closed)
      more()
      return
    }
    const [headers, body, status] = pages[request.url ?? ''] ?? [{}, 'unknown', 500]
    response.writeHead(status ?? 200, headers).end(body)
  })
  kernel = await testKernel({ plugins: ['address-guard'], config: { security: { allow_private_urls: true } } })
})
afterAll(async () => {
  await kernel.stop()
  await site.close()
})

function read(path: string) {
  return readPage(`${site.url}${path}`, { signal: new AbortController().signal }, kernel.use(SafeFetch))
}

test.for(['/article', '/gzip', '/deflate', '/br'])(
  'the article of %s comes as Markdown with absolute links',
  async (path) => {
    const page = await read(path)
    expect(page.title).toBe('Purring')
    expect(page.url).toBe(`${site.url}${path}`)
    expect(page.text).toMatch(/^(## Purring\n\n)?Cats purr at a low pitch/)
    expect(page.text).toContain(`See [more](${site.url}/more?x=1).`)
    expect(page.text).not.toMatch(/secret|Home|<p>/)
  },
)

test('a page that is made by scripts has its title and no text', async () => {
  expect(await read('/empty')).toEqual({ url: `${site.url}/empty`, title: 'App', text: '' })
})

test('a redirect is followed, and the page is told by its last address', async () => {
  expect((await read('/moved')).url).toBe(`${site.url}/article`)
})

test.for([
  ['/json', '{"a": [1, 2]}'],
  ['/plain', '<html>is shown as it is</html>\nsecond'],
  ['/no-type', 'untyped'],
  ['/wrong-type', 'only words'],
  ['/latin', 'café'],
  ['/undeclared-latin', 'café'],
  ['/utf16', 'café'],
  ['/shift-jis', '日本'],
] as const)('%s is read as %s', async ([path, expected]) => {
  expect((await read(path)).text).toBe(expected)
})

test.for([
  ['/pdf', 'WEB_PAGE_BINARY', 'a PDF document'],
  ['/png', 'WEB_PAGE_BINARY', 'a PNG image'],
  ['/garbage', 'WEB_PAGE_BINARY', 'binary data (application/x-thing)'],
  ['/missing', 'WEB_PAGE_STATUS', 'status 404'],
  ['/damaged', 'WEB_PAGE_DAMAGED', 'cannot be unpacked'],
  ['/unknown-packing', 'WEB_PAGE_DAMAGED', '"zstd"'],
] as const)('%s is refused with %s: %s', async ([path, code, reason]) => {
  await expect(read(path)).rejects.toMatchObject({ code, message: expect.stringContaining(reason) })
})

test('a body without end is cut at 5 MiB, and the website is let go', async () => {
  const page = await read('/endless')
  expect(page.text.length).toBeLessThan(5 * 2 ** 20 + 200)
  expect(page.text).toMatch(/sent more than is read; this is the beginning\.\]$/)
  await endlessClosed
})

test('a body that unpacks to 200 MB is cut as well', async () => {
  expect((await read('/bomb')).text.length).toBeLessThan(5 * 2 ** 20 + 200)
})

test.for([
  ['/deep', 'bottom'],
  ['/crowd', 'inside'],
] as const)('the page %s, made to cost a parser hours, is given as plain text', async ([path, expected]) => {
  const page = await read(path)
  expect(page.text).toBe(`${expected}\n\n[The page is too complex for Markdown; this is its plain text.]`)
})

test('formats that are left open do not multiply', async () => {
  expect((await read('/formats')).text.match(/^x$/gm)).toHaveLength(20_000)
})
