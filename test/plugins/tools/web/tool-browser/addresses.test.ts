import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNoBrowser, openKernel, openSite, type Site, SKIPPED, type Visitor, visitor } from './support.ts'

const redirect = (to: string) => (_: unknown, response: ServerResponse) =>
  response.writeHead(302, { location: to }).end()

const script = (source: string) => (request: IncomingMessage, response: ServerResponse) => {
  response.setHeader('content-type', 'text/javascript')
  response.end(source.replaceAll('FORBIDDEN', `http://forbidden.localhost:${request.socket.localPort}`))
}
const windows = `<title>Windows</title><button onclick="window.open('/talk')">Open</button>
<button onclick="window.open('FORBIDDEN/', '_blank', 'noopener')">Lead astray</button>
<button onclick="location = 'FORBIDDEN/'">Go astray</button><a href="/file">Save</a>`

const spy = `<title>Spy</title><iframe src="FORBIDDEN/frame"></iframe><img src="FORBIDDEN/image"><p id="out">waiting</p><script>
const worker = new Worker(URL.createObjectURL(new Blob(["fetch('FORBIDDEN/worker').then(() => postMessage('got it'), () => postMessage('refused'))"])))
const socket = new WebSocket(location.origin.replace('http', 'ws') + '/socket')
const both = [new Promise((done) => { worker.onmessage = (e) => done('worker ' + e.data) }),
  new Promise((done) => { socket.onopen = () => done('socket open'); socket.onerror = () => done('socket refused') }),
  fetch('FORBIDDEN/fetch').then(() => 'fetch got it', () => 'fetch refused'),
  new Promise((done) => { navigator.serviceWorker.register('/service.js'); navigator.serviceWorker.onmessage = (e) => done('service ' + e.data) }),
  new Promise((done) => { new SharedWorker('/shared.js').port.onmessage = (e) => done('shared ' + e.data) }),
  Notification.requestPermission().then((state) => 'notifications ' + state)]
Promise.all(both).then((all) => { document.getElementById('out').textContent = all.join(', ') })
</script>`

let site: Site
let you: Visitor
const asked: string[] = []

describe.skipIf(hasNoBrowser)(`addresses in the browser${SKIPPED}`, () => {
  beforeAll(async () => {
    site = await openSite({
      '/': '<title>Home</title>',
      '/cookie': `<p></p><script>document.querySelector('p').textContent = 'cookies: ' + (document.cookie || 'none')
        document.cookie = 'mine=1'</script>`,
      '/talk': '<title>Talk</title>',
      '/service.js': script(`addEventListener('install', () => skipWaiting())
        addEventListener('activate', (e) => e.waitUntil((async () => {
          await clients.claim()
          const said = await fetch('FORBIDDEN/service').then(() => 'got it', () => 'refused')
          for (const each of await clients.matchAll({ includeUncontrolled: true })) each.postMessage(said)
        })()))`),
      '/shared.js': script(`onconnect = async ({ ports: [port] }) => {
        port.postMessage(await fetch('FORBIDDEN/shared').then(() => 'got it', () => 'refused'))
      }`),
      '/windows': windows,
      '/spy': spy,
      '/loop': redirect('/loop'),
      '/astray': (request, response) =>
        redirect(`http://forbidden.localhost:${request.socket.localPort}/inside`)(request, response),
      '/file': (_, response) => {
        response.writeHead(200, {
          'content-type': 'application/zip',
          'content-disposition': 'attachment; filename=a.zip',
        })
        response.end('zip')
      },
    })
    you = visitor(await openKernel({ asked }))
  })
  afterAll(async () => {
    await you?.kernel.stop()
    await site?.[Symbol.asyncDispose]()
  })

  const open = async (path: string) => (await you.use('navigate', { url: site.url + path })).text

  test('redirects without end, files and addresses of other kinds are no pages', async () => {
    expect(await open('/loop')).toMatch(/^BROWSER_LOAD: .*redirects without end/)
    expect(await open('/file')).toMatch(/^BROWSER_LOAD: .*downloads are refused/)
    for (const url of [
      'file:///etc/passwd',
      'chrome://version',
      'data:text/html,x',
      'javascript:alert()',
      'about:blank',
    ])
      expect((await you.use('navigate', { url })).text).toMatch(/^BROWSER_BAD_URL/)
    expect((await you.use('navigate', { url: 'http://127.0.0.1:1/' })).text).toMatch(/^BROWSER_LOAD/)
    expect(await open('/nowhere')).toContain('(HTTP 404)')
  })

  test('neither a redirect nor a frame, a worker, a script, a window or a socket gets past the guard', async () => {
    expect(await open('/astray')).toMatch(
      /^BROWSER_BLOCKED: .*forbidden.*\/inside, which was not loaded: private addresses/,
    )
    await open('/spy')
    await expect
      .poll(async () => (await you.use('snapshot', { full: true })).text, { timeout: 10_000 })
      .toContain('notifications')
    const { text: page } = await you.use('snapshot', { full: true })
    expect(page).toContain(
      'worker refused, socket refused, fetch refused, service refused, shared refused, notifications denied',
    )
    const windowsText = await open('/windows')
    expect((await you.use('click', { ref: you.ref(windowsText, /astray/) })).text).toContain('Not loaded: ')
    expect(site.hits.filter((hit) => /forbidden|socket/.test(hit))).toEqual([])
  })

  test('a window that a page opens becomes the tab in use, and going back closes it', async () => {
    const text = await open('/windows')
    const opened = await you.use('click', { ref: you.ref(text, /"Open"/) })
    expect(opened.text).toContain('A new tab opened and is used now')
    expect(opened.text).toContain('/talk')
    expect((await you.use('back')).text).toContain('Windows\n')
    const saved = await you.use('click', { ref: you.ref(text, /"Save"/) })
    expect(saved.text).toContain('Downloads are refused: a.zip')
  })

  test('each page is asked about before it is opened, and each session has its own cookies', async () => {
    const address = `${site.url}/`
    await open('/')
    expect(asked.filter((url) => url === address).length).toBeGreaterThanOrEqual(2)
    const other = you.as('other')
    expect((await other.use('snapshot')).text).toMatch(/^BROWSER_NO_PAGE/)
    const cookie = async (who: Visitor) => {
      await who.use('navigate', { url: `${site.url}/cookie` })
      return (await who.use('snapshot', { full: true })).text
    }
    expect(await cookie(you)).toContain('cookies: none')
    expect(await cookie(you)).toContain('cookies: mine=1')
    expect(await cookie(other)).toContain('cookies: none')
    expect((await other.use('navigate', { url: 'http://forbidden.localhost/' })).text).toMatch(/^URL_FORBIDDEN/)
  })
})
