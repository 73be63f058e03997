import fc from 'fast-check'
import {
  Agent,
  PromptParts,
  SelectTools,
  Sessions,
  type Tool,
  type ToolResult,
  type ToolSelection,
  Tools,
  type TurnEvent,
} from 'svc/sdk'
import type { RegisteredTool } from 'svc/sdk/host'
import { fakeProvider, fakeToolTurn, fakeTurn, testKernel, toolContract } from 'svc/sdk/testing'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { BRIDGE, deferTools } from '../../../../plugins/tools/tool-search/deferral.ts'
import { definitionBytes, formatSignature, toDefinition } from '../../../../plugins/tools/tool-search/definition.ts'
import { rank } from '../../../../plugins/tools/tool-search/ranking.ts'

const tool = (
  name: string,
  toolset: string,
  description: string,
  input: Tool['input'] = z.object({}),
): RegisteredTool => ({
  name,
  toolset,
  reach: 'nothing',
  description,
  input,
  effect: 'pure',
  run: async () => name,
})

const REF = z.object({ ref: z.string() })
const BROWSER = [
  tool('browser_navigate', 'browser', 'Opens a page.', z.object({ url: z.string() })),
  tool('browser_click', 'browser', 'Clicks an element of the snapshot, such as a button or a link.', REF),
  tool('browser_screenshot', 'browser', 'Takes a picture of the page.', z.object({ full: z.boolean().default(false) })),
]
const GITHUB = [
  tool('mcp__github__create_issue', 'mcp-github', 'Creates an issue in a repository.', z.object({ title: z.string() })),
  tool('mcp__github__list_pulls', 'mcp-github', `Lists pull requests.${' More of it.'.repeat(200)}`),
]
const CORE: readonly RegisteredTool[] = [
  { ...tool('read_file', 'file', 'Reads a file.'), scope: { core: true } },
  { ...tool('terminal', 'terminal', 'Runs a command.'), scope: { core: true } },
]
const ALL = [...CORE, ...BROWSER, ...GITHUB]
const names = (tools: readonly RegisteredTool[]) => tools.map(({ name }) => name)
const find = (name: string) => ALL.find((each) => each.name === name)
/** Room for the browser and the bridge. */
const BUDGET = definitionBytes(BROWSER) + 1000

async function open(config: object = { budget_bytes: BUDGET }) {
  const kernel = await testKernel({
    plugins: ['tool-search', 'toolsets'],
    with: [
      {
        name: 'some-tools',
        contributes: { tools: names(ALL) },
        setup: (ctx) => {
          for (const each of ALL) ctx.add(Tools, each)
        },
      },
    ],
    config: { tool_search: config },
  })
  onTestFinished(() => kernel.stop())
  const everything = () =>
    kernel
      .all(Tools)
      .all()
      .map(({ name }) => name)
  const offer = (offered = everything(), sessionId = 's1'): Promise<ToolSelection> =>
    kernel.call(SelectTools, { offered, deferred: [] }, fakeTurn({ sessionId }))
  const call = async (name: string, input: object, sessionId = 's1'): Promise<ToolResult> => {
    const found = kernel.all(Tools).get(name) as RegisteredTool
    const parsed = await found.input['~standard'].validate(input)
    if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
    return (await found.run(parsed.value, fakeToolTurn({ sessionId }))) as ToolResult
  }
  return { kernel, offer, call }
}

test('toolsets that do not fit are deferred, the largest first, and a bridge stands in for them', async () => {
  const { offer } = await open()
  const { offered, deferred } = await offer()
  expect(deferred).toEqual(names(GITHUB))
  expect(offered).toEqual([...names(CORE), ...names(BROWSER), ...BRIDGE])
})

test('when everything fits there is no bridge, and without a bridge nothing is deferred', async () => {
  const wide = await open({ budget_bytes: 1_000_000 })
  expect(await wide.offer()).toEqual({ offered: names(ALL), deferred: [] })
  const narrow = await open({ budget_bytes: 0 })
  expect(await narrow.offer(names(ALL))).toEqual({ offered: names(ALL), deferred: [] })
  expect(await narrow.offer([...names(ALL), 'tool_search'])).toEqual({ offered: names(ALL), deferred: [] })
})

test('the core and what the user keeps stay, however small the budget', async () => {
  const { offer } = await open({ budget_bytes: 0, keep: ['mcp-github', 'browser_click'] })
  const { offered, deferred } = await offer()
  expect(offered).toEqual([...names(CORE), 'browser_click', ...names(GITHUB), ...BRIDGE])
  expect(deferred).toEqual(['browser_navigate', 'browser_screenshot'])
})

test('the prompt names what was deferred, by toolset, and nothing when nothing was', async () => {
  const { kernel, offer } = await open({ budget_bytes: 0 })
  const part = kernel.all(PromptParts).get('more-tools')
  const text = (sessionId: string, tools: readonly string[]) => part?.text({ ...fakeTurn({ sessionId }), tools })
  const { offered } = await offer()
  const first = text('s1', offered)
  expect(first).toContain('\nbrowser: browser_{click, navigate, screenshot}\n')
  expect(first).toContain('\nmcp-github: mcp__github__create_issue, mcp__github__list_pulls')
  await offer()
  expect(text('s1', offered)).toBe(first)
  expect(text('another session', offered)).toBeUndefined()
})

test('many names are told by their number', async () => {
  const many = Array.from({ length: 200 }, (_, at) => tool(`mcp__big__tool_${at}`, 'mcp-big', 'x'))
  const { moreTools } = await import('../../../../plugins/tools/tool-search/more-tools.ts')
  const part = moreTools(
    () => names([...many, ...BROWSER]),
    (name) => [...many, ...BROWSER].find((each) => each.name === name),
  )
  const text = await part.text({ ...fakeTurn({ sessionId: 's' }), tools: ['tool_call'] })
  expect(text).toContain('mcp-big: 200 tools')
  expect(Buffer.byteLength(text ?? '')).toBeLessThan(900)
})

test('a search finds what was deferred, with all that is needed to call it', async () => {
  const { offer, call } = await open({ budget_bytes: 0 })
  await offer()
  const { text, data } = await call('tool_search', { query: 'click a button', limit: 1 })
  expect(text).toBe('browser_click(ref: string)\n  Clicks an element of the snapshot, such as a button or a link.')
  expect(data).toMatchObject({ tools: [{ name: 'browser_click', toolset: 'browser' }] })
  expect((await call('tool_search', { query: 'zzz' })).text).toContain('Nothing fits. There are: browser_navigate')
  expect((await call('tool_search', { query: 'click' }, 'a session without')).text).toContain('no more tools')
})

test('what is offered anyway is not found', async () => {
  const { offer, call } = await open()
  await offer()
  expect((await call('tool_search', { query: 'read_file browser issue' })).data).toMatchObject({
    tools: [{ name: 'mcp__github__create_issue' }],
  })
})

test('a tool is described as the agent would have told it, and a typo finds its neighbour', async () => {
  const { offer, call } = await open({ budget_bytes: 0 })
  await offer()
  const { text } = await call('tool_describe', { name: 'browser_navigate' })
  expect(JSON.parse(text)).toEqual(toDefinition(BROWSER[0] as RegisteredTool))
  const typo = await call('tool_describe', { name: 'browser_clicks' })
  expect(typo).toMatchObject({ failed: true, text: expect.stringContaining('browser_click') })
})

test('tool_call stands for the call itself', async () => {
  const { kernel, call } = await open()
  const bridge = kernel.all(Tools).get('tool_call') as RegisteredTool
  const input = { name: 'browser_click', arguments: { ref: 'e5' } }
  expect(bridge.redirect?.(input)).toEqual({ name: 'browser_click', input: { ref: 'e5' } })
  await expect(call('tool_call', input)).rejects.toThrow('was not run')
})

test('the words that matter decide the order', () => {
  expect(names(rank('take screenshots', BROWSER, 5))[0]).toBe('browser_screenshot')
  expect(names(rank('github issue', ALL, 5))[0]).toBe('mcp__github__create_issue')
  expect(names(rank('mcp__github__list_pulls', ALL, 5))[0]).toBe('mcp__github__list_pulls')
  expect(names(rank('screen', ALL, 1))).toEqual(['browser_screenshot'])
  expect(rank('   ', ALL, 5)).toEqual([])
})

test('a signature tells what must be given and what may be', () => {
  const input = z.object({
    to: z.enum(['a', 'b']),
    tags: z.array(z.string()).optional(),
    full: z.boolean().default(true),
    limit: z.union([z.number(), z.string()]),
  })
  expect(formatSignature(tool('send', 'x', 'x', input))).toBe(
    'send(to: "a"|"b", tags?: string[], full?: boolean, limit: number|string)',
  )
})

test('no tool is lost or told twice, and what stays fits into the budget', () => {
  const budget = fc.integer({ min: 0, max: 2 * definitionBytes(ALL) })
  fc.assert(
    fc.property(fc.subarray(names(ALL)), budget, (some, budget_bytes) => {
      const { offered, deferred } = deferTools({ offered: [...some, ...BRIDGE], deferred: [] }, find, {
        budget_bytes,
        keep: [],
      })
      const seen = [...offered, ...deferred].filter((name) => !BRIDGE.includes(name))
      expect(seen.toSorted()).toEqual(some.toSorted())
      const outside = offered.flatMap((name) => find(name) ?? []).filter((each) => !CORE.includes(each))
      expect(definitionBytes(outside)).toBeLessThanOrEqual(budget_bytes)
      expect(BRIDGE.every((name) => offered.includes(name))).toBe(deferred.length > 0)
    }),
  )
})

test('in a turn the model is told of the bridge only, finds a tool, and its call is that of the tool', async () => {
  const script = [
    { calls: [{ name: 'tool_search', input: { query: 'click' } }] },
    { calls: [{ name: 'tool_call', input: { name: 'browser_click', arguments: { ref: 'e5' } } }] },
    { calls: [{ name: 'tool_call', input: { name: 'browser_click', arguments: {} } }] },
    'done',
  ]
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['agent'],
    with: [
      fake.plugin,
      {
        name: 'some-tools',
        contributes: { tools: names(BROWSER) },
        setup: (ctx) => {
          for (const each of BROWSER) ctx.add(Tools, each)
        },
      },
    ],
    config: { model: { provider: 'fake', default: 'fake-1' }, tool_search: { budget_bytes: 0 } },
  })
  onTestFinished(() => kernel.stop())
  const session = kernel.use(Sessions).create({ surface: 'cli', cwd: '/' })
  const events: TurnEvent[] = []
  for await (const event of kernel.use(Agent).run({ sessionId: session.id, text: 'click it', surface: 'cli' }))
    events.push(event)
  const [first, second] = fake.requests
  const told = first?.tools.map(({ name }) => name) ?? []
  expect(told).toEqual(expect.arrayContaining([...BRIDGE]))
  expect(told).not.toContain('browser_click')
  expect(first?.messages[0]).toMatchObject({
    role: 'system',
    text: expect.stringContaining('browser: browser_{click, '),
  })
  expect(second?.messages.at(-1)).toMatchObject({ text: expect.stringContaining('browser_click(ref: string)') })
  expect(JSON.stringify(second?.tools)).toBe(JSON.stringify(first?.tools))
  const calls = events.filter((event) => event.type === 'tool.complete')
  expect(calls).toMatchObject([
    { name: 'tool_search', ok: true },
    { name: 'browser_click', ok: true, text: 'browser_click' },
    { ok: false, text: expect.stringContaining('ref') },
  ])
})

describe('the bridge keeps the contract of tools', async () => {
  const kernel = await testKernel({ plugins: ['tool-search', 'toolsets'] })
  afterAll(() => kernel.stop())
  const samples = { tool_search: [{ input: { query: 'x' }, text: 'Nothing fits' }], tool_describe: [], tool_call: [] }
  for (const name of BRIDGE)
    test.for(toolContract(kernel.all(Tools).get(name) as RegisteredTool, samples[name as keyof typeof samples]))(
      `${name} $name`,
      ({ run }) => run(),
    )
  test('the three are told to the model in at most 700 bytes', () => {
    expect(definitionBytes(BRIDGE.map((name) => kernel.all(Tools).get(name) as RegisteredTool))).toBeLessThanOrEqual(
      700,
    )
  })
})
