/** Two hundred open pages and twenty turns on one server: what is done once for all of them, and what one page can cost. */
import type { PluginContext } from 'svc/sdk'
import { fakeProvider } from 'svc/sdk/testing'
import { type RpcMethod, RpcMethods } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { type Desk, openTestKernel } from './desk.ts'
import { connect, type Event, type Page } from './page.ts'

const PAGES = 200
const TURNS = 20
const PIECES = Array.from({ length: 40 }, (_, at) => `${at} `)
const MIB = 2 ** 20
/** Of such a turn; deltas that follow each other are one. */
const TYPES = ['message.start', 'message.delta', 'tool.start', 'tool.complete', 'message.delta', 'message.complete']

const plugins = ['agent', 'conversation']
const config = { model: { provider: 'fake', default: 'fake-1' } }

function place({ session_id, type, payload }: Event): string {
  return `${session_id} ${type} ${payload['seq']}`
}

/** How often an event is made into a text, by its place. Pages that connect cost what only they are told. */
function countSerialised(): Map<string, number> {
  const counts = new Map<string, number>()
  const { stringify } = JSON
  JSON.stringify = ((value: unknown, ...rest: never[]) => {
    const { method, params } = (value ?? {}) as { readonly method?: unknown; readonly params?: Event }
    if (method === 'event' && params?.payload['seq'] !== undefined)
      counts.set(place(params), (counts.get(place(params)) ?? 0) + 1)
    return stringify(value, ...rest)
  }) as typeof JSON.stringify
  onTestFinished(() => {
    JSON.stringify = stringify
  })
  return counts
}

function openAll(desk: Desk, keys: readonly string[]): Promise<Page[]> {
  return Promise.all(
    Array.from({ length: PAGES }, async (_, number) => {
      const page = await connect(desk)
      await page.call('pages.watch')
      await page.call('session.resume', { session_id: keys[number % keys.length] })
      return page
    }),
  )
}

test('each event of twenty turns is made into a text once, and comes to each of two hundred pages once and in order', async () => {
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const calls = [{ name: 'nothing', input: {} }]
  const first = Array.from({ length: TURNS }, () => ({ gate, pieces: PIECES, calls }))
  const model = fakeProvider([...first, ...first.map(() => ({ pieces: PIECES }))])
  const desk = await openTestKernel({ plugins, with: [model.plugin], config })
  onTestFinished(() => desk.kernel.stop())
  const driver = await connect(desk)
  const opened: { session_id: string; session_key: string }[] = []
  for (let turn = 0; turn < TURNS; turn++) opened.push(await driver.call('session.create'))
  const pages = await openAll(
    desk,
    opened.map(({ session_key }) => session_key),
  )
  const counts = countSerialised()
  for (const { session_id } of opened) await driver.call('prompt.submit', { session_id, text: 'count' })
  await expect.poll(() => model.requests.length).toBe(TURNS)
  go()
  for (const page of pages) await expect.poll(() => page.count('message.complete')).toBe(1)
  await expect.poll(() => driver.count('message.complete')).toBe(TURNS)
  expect([...new Set(counts.values())]).toEqual([1])
  const all = driver.events.filter(({ payload }) => payload['seq'] !== undefined)
  expect(all.map(place).sort()).toEqual([...counts.keys()].sort())
  for (const [number, page] of pages.entries()) {
    const { session_id } = opened[number % TURNS] as { readonly session_id: string }
    const told = page.events.filter(({ payload }) => payload['seq'] !== undefined)
    expect(told).toEqual(all.filter((event) => event.session_id === session_id))
    expect(page.text).toBe(PIECES.join('').repeat(2))
    const types = told
      .map(({ type }) => type)
      .filter((type, at, all) => type !== 'message.delta' || type !== all[at - 1])
    expect(types).toEqual(TYPES)
    const places = told.filter(({ type }) => type !== 'message.complete').map(({ payload }) => Number(payload['seq']))
    expect(places).toEqual([...new Set(places)].sort((one, two) => one - two))
  }
})

test('a page that stops reading is bounded and closed, others are told on, and it catches up when it comes again', async () => {
  const model = fakeProvider([{ pieces: PIECES }])
  let told = 0
  const noise: RpcMethod = {
    name: 'noise',
    summary: 'A hundred events of a mebibyte',
    async run(_params, caller) {
      for (; told < 100; told++) {
        caller.emit('noise', { text: 'x'.repeat(MIB) })
        await new Promise((resolve) => setImmediate(resolve))
      }
      return {}
    },
  }
  const setup = (ctx: PluginContext<undefined>) => void ctx.add(RpcMethods, noise)
  const desk = await openTestKernel({ plugins, config, with: [model.plugin], setup })
  onTestFinished(() => desk.kernel.stop())
  const other = await connect(desk)
  const { session_id, session_key } = await other.call('session.create')
  const page = await connect(desk)
  await page.call('session.resume', { session_id: session_key })
  const after = page.cursor
  page.pause()
  void page.call('noise')
  await expect.poll(() => told).toBe(100)
  await other.call('prompt.submit', { session_id, text: 'count', key: 'one' })
  await expect.poll(() => other.count('message.complete')).toBe(1)
  expect(other.text).toBe(PIECES.join(''))
  expect(await page.readToEnd()).toBe(1013)
  // Eight mebibytes wait at most, and some are on their way through the system.
  expect(page.count('noise')).toBeLessThan(50)
  expect(page.count('message.complete')).toBe(0)
  const again = await connect(desk)
  await again.call('session.resume', { session_id: session_key, after })
  await expect.poll(() => again.count('message.complete')).toBe(1)
  expect(again.text).toBe(PIECES.join(''))
  expect(again.count('message.start')).toBe(1)
})
