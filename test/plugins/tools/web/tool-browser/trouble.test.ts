import type { ServerResponse } from 'node:http'
import { Browser } from 'svc/sdk/web'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNoBrowser, openKernel, openSite, type Site, SKIPPED, type Visitor, visitor } from './support.ts'

const dialogs = `<title>Dialogs</title>
<button onclick="document.title = 'said ' + confirm('Really?')">Ask</button>
<button onclick="document.title = 'called ' + prompt('Name?', 'Bob')">Name</button>
<button onclick="for (;;) alert('again')">Endless</button>`

const talk = `<title>Talk</title><script>console.log('hello', { a: 1 }); console.warn('careful'); null.x</script>
<button onclick="for (let i = 0; i < 300; i++) console.log('line ' + i)">Chatter</button><script src="/missing.js"></script>`

let site: Site
let you: Visitor
const waiting: ServerResponse[] = []

describe.skipIf(hasNoBrowser)(`trouble in the browser${SKIPPED}`, () => {
  beforeAll(async () => {
    site = await openSite({
      '/dialogs': dialogs,
      '/talk': talk,
      '/ends': '<title>Ends</title><p>fine</p>',
      '/silent': (_, response) => void waiting.push(response),
      '/huge': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' })
        response.write('<title>Huge</title><button>At the top</button>')
        const row = `<p>${'many words '.repeat(1000)}</p>`.repeat(90)
        let left = 52
        const more = () => {
          left -= 1
          if (left > 0 && !response.destroyed) response.write(row, more)
          else response.end()
        }
        more()
      },
    })
    you = visitor(await openKernel({ config: { command_timeout: 20 } }))
  })
  afterAll(async () => {
    for (const response of waiting) response.destroy()
    await you?.kernel.stop()
    await site?.[Symbol.asyncDispose]()
  })

  const open = async (path: string) => (await you.use('navigate', { url: site.url + path })).text

  test('a dialog holds everything up until the model answers it', async () => {
    const text = await open('/dialogs')
    const asked = await you.use('click', { ref: you.ref(text, /"Ask"/) })
    expect(asked.text).toContain('The page shows a dialog (confirm): "Really?". Answer it with browser_dialog.')
    expect((await you.use('snapshot')).text).toMatch(/^BROWSER_DIALOG/)
    expect((await you.use('click', { ref: you.ref(text, /"Name"/) })).text).toMatch(/^BROWSER_DIALOG/)
    expect((await you.use('dialog', { action: 'accept' })).text).toContain('The confirm was accepted.')
    await you.use('click', { ref: you.ref(text, /"Name"/) })
    expect((await you.use('dialog', { action: 'accept', prompt_text: 'Eve' })).text).toContain(
      'The prompt was accepted.',
    )
    expect((await you.use('dialog', { action: 'accept' })).text).toMatch(/^BROWSER_NO_DIALOG/)
    expect((await you.use('vision')).result?.images?.[0]?.mediaType).toBe('image/png')
  })

  test('a page that asks without end can be left', async () => {
    const text = await open('/dialogs')
    expect((await you.use('click', { ref: you.ref(text, /"Endless"/) })).text).toContain('dialog (alert): "again"')
    expect((await you.use('dialog', { action: 'dismiss' })).text).toContain('dialog (alert): "again"')
    expect(await open('/ends')).toContain('Ends\n')
  })

  test('the console has messages and errors, is bounded, and evaluates nothing unless that is allowed', async () => {
    const text = await open('/talk')
    const { text: said } = await you.use('console')
    expect(said).toContain('log: hello')
    expect(said).toContain('warning: careful')
    expect(said).toMatch(/error: TypeError: Cannot read properties of null/)
    expect(said).toMatch(/error: Failed to load resource.*missing\.js/)
    await you.use('click', { ref: you.ref(text, /Chatter/) })
    const { text: cut } = await you.use('console', { clear: true })
    expect(cut.split('\n')).toHaveLength(100)
    expect(cut).toContain('line 299')
    expect((await you.use('console')).text).toBe('The console is empty.')
    expect((await you.use('console', { expression: '1' })).text).toMatch(
      /^BROWSER_EVALUATE: Running code in pages is off/,
    )
  })

  test('a page that crashes is said to have crashed, and the next one opens', async () => {
    await open('/ends')
    const session = await you.kernel.use(Browser).session('s')
    const [tab] = session.tabs
    // It is never answered: the page is gone before.
    tab
      ?.target()
      .send('Page.crash')
      .catch(() => undefined)
    await expect.poll(() => tab?.crashed, { timeout: 10_000 }).toBe(true)
    expect((await you.use('snapshot')).text).toMatch(/^BROWSER_CRASHED: The page .*\/ends crashed/)
    expect(await open('/ends')).toContain('Ends\n')
  })

  test('a page of 50 MB is read at its beginning, in bounded time and space', async () => {
    const text = await open('/huge')
    expect(text).toContain('button "At the top"')
    expect(text.length).toBeLessThan(9000)
    expect((await you.use('snapshot', { full: true })).text).toContain('many words')
    expect(await open('/ends')).toContain('Ends\n')
  })

  test('an interrupted turn stops waiting for a server that says nothing, and the next page opens', async () => {
    const controller = new AbortController()
    const trying = you.use('navigate', { url: `${site.url}/silent` }, controller.signal)
    await expect.poll(() => site.hits.includes('127.0.0.1/silent'), { timeout: 10_000 }).toBe(true)
    controller.abort(new Error('interrupted'))
    expect((await trying).text).toContain('interrupted')
    expect(await open('/ends')).toContain('Ends\n')
  })
})
