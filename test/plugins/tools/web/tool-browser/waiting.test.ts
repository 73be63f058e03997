import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNoBrowser, openKernel, openSite, type Site, SKIPPED, type Visitor, visitor } from './support.ts'

let site: Site
let you: Visitor
const waiting: ServerResponse[] = []

describe.skipIf(hasNoBrowser)(`waiting in the browser${SKIPPED}`, () => {
  beforeAll(async () => {
    site = await openSite({
      '/': '<title>Ask</title><button onclick="confirm(1)">Ask</button>',
      '/silent': (_, response) => void waiting.push(response),
      '/unfinished': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' })
        response.write('<title>Unfinished</title><button>There already</button><img src="/silent">')
        waiting.push(response)
      },
    })
    you = visitor(await openKernel({ config: { dialog_timeout: 0.2 } }))
  })
  afterAll(async () => {
    for (const response of waiting) response.destroy()
    await you?.kernel.stop()
    await site?.[Symbol.asyncDispose]()
  })

  test('a page that never finishes loading is used as far as it is there', async () => {
    const { text } = await you.use('navigate', { url: `${site.url}/unfinished` })
    expect(text).toContain('The page is still loading.')
    expect(text).toContain('button "There already" @e1')
    expect((await you.use('click', { ref: '@e1' })).text).toContain('Clicked button "There already".')
  })

  test('a dialog that no one answers is dismissed, and that is told', async () => {
    const { text } = await you.use('navigate', { url: site.url })
    const told = [(await you.use('click', { ref: you.ref(text, /"Ask"/) })).text]
    await expect.poll(async () => (await you.use('snapshot')).failed, { timeout: 10_000 }).toBe(false)
    told.push((await you.use('press', { key: 'Escape' })).text)
    expect(told.join('\n')).toContain('Dialog: confirm got no answer in time and was dismissed.')
  })

  test('a server that says nothing is given up after the time of a command, and the session continues', async () => {
    await using kernel = await openKernel({ config: { command_timeout: 3 } })
    const hurried = visitor(kernel)
    const gone = await hurried.use('navigate', { url: `${site.url}/silent` })
    expect(gone.text).toMatch(/^BROWSER_TIMEOUT: .*3 seconds/)
    expect((await you.use('navigate', { url: site.url })).text).toContain('Ask\n')
  })
})
