import { writeFileSync } from 'node:fs'
import { Tools } from 'svc/sdk'
import type { AuxiliaryRequest } from 'svc/sdk/provider'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNoBrowser, openKernel, openSite, type Site, SKIPPED, type Visitor, visitor } from './support.ts'

const page = `<title>Look</title><style>body { background: #eef; font: 20px sans-serif }</style>
<h1>Shop</h1><button>Buy</button> <a href="/more">More</a> <p><label>Amount <input></label></p>
<iframe srcdoc="<button>Framed</button>" style="margin-left:200px"></iframe>
<button onclick="document.title = 'said ' + confirm('Sure?')">Ask</button>
<div style="margin-top:2000px"><button>Below</button></div>`

let site: Site
let you: Visitor
const asked: AuxiliaryRequest[] = []

describe.skipIf(hasNoBrowser)(`pictures and code in the browser${SKIPPED}`, () => {
  beforeAll(async () => {
    site = await openSite({ '/': page })
    const models = {
      slots: () => [],
      ask: async (request: AuxiliaryRequest) => {
        asked.push(request)
        if (asked.length > 1) throw new Error('no model today')
        return { text: 'A shop.', provider: 'p', model: 'eyes', usage: {} }
      },
    }
    you = visitor(await openKernel({ models, config: { unsafe_evaluate: true, dialog_policy: 'accept' } }))
    await you.use('navigate', { url: site.url })
  })
  afterAll(async () => {
    await you?.kernel.stop()
    await site?.[Symbol.asyncDispose]()
  })

  test('a picture is taken, with refs drawn on it when they are wanted, and the page stays as it was', async () => {
    const plain = (await you.use('vision')).result?.images?.[0]
    const marked = (await you.use('vision', { annotate: true })).result?.images?.[0]
    const again = (await you.use('vision')).result?.images?.[0]
    const bytes = Buffer.from(marked?.data ?? '', 'base64')
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1280, expect.any(Number)])
    expect(marked?.data).not.toBe(plain?.data)
    expect(again?.data).toBe(plain?.data)
    if (process.env['KEEP_PICTURE']) writeFileSync(process.env['KEEP_PICTURE'], bytes)
  })

  test('a question is answered by the model for pictures; when that fails the picture itself is there', async () => {
    const answered = await you.use('vision', { question: 'What is it?' })
    expect(answered.result).toMatchObject({ text: 'A shop.', data: { model: 'eyes' } })
    expect(answered.result?.images).toBeUndefined()
    expect(asked[0]).toMatchObject({ slot: 'vision', sessionId: 's', turnId: 't' })
    const [message] = asked[0]?.messages ?? []
    expect(message).toMatchObject({ role: 'user', images: [{ mediaType: 'image/png' }] })
    const failed = await you.use('vision', { question: 'And now?' })
    expect(failed.text).toMatch(/^The model for pictures failed \(no model today\)/)
    expect(failed.result?.images).toHaveLength(1)
  })

  test('where code is allowed it is evaluated, and its errors are told', async () => {
    expect(you.kernel.all(Tools).get('browser_console')?.effect).toBe('once')
    expect((await you.use('console', { expression: 'Promise.resolve({ a: [1] })' })).text).toBe('{"a":[1]}')
    expect((await you.use('console', { expression: 'document.body' })).text).not.toBe('')
    expect((await you.use('console', { expression: 'nope()' })).text).toMatch(/^BROWSER_EVALUATE: ReferenceError/)
  })

  test('a dialog is accepted at once when the config says so, and the model is told', async () => {
    const { text } = await you.use('snapshot')
    const { text: clicked } = await you.use('click', { ref: you.ref(text, /"Ask"/) })
    expect(clicked).toContain('Dialog: confirm "Sure?" was accepted.')
    expect((await you.use('console', { expression: 'document.title' })).text).toBe('"said true"')
  })
})

test('all tools together take little room in a request', async () => {
  await using kernel = await openKernel()
  const tools = kernel
    .all(Tools)
    .all()
    .filter(({ name }) => name.startsWith('browser_'))
  const told = tools.map(({ name, description, input }) => {
    return { name, description, parameters: input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) }
  })
  expect(tools).toHaveLength(11)
  expect(JSON.stringify(told).length).toBeLessThan(3500)
  expect(tools.every(({ toolset, untrusted }) => toolset === 'browser' && untrusted)).toBe(true)
  const repeatable = tools.filter(({ effect }) => effect === 'pure').map(({ name }) => name)
  expect(repeatable.sort()).toEqual(['browser_console', 'browser_get_images', 'browser_snapshot', 'browser_vision'])
})
