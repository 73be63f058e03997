import fc from 'fast-check'
import type { InlinePlugin } from 'svc'
import {
  AfterToolCall,
  Agent,
  AroundToolCall,
  BeforeToolCall,
  BeforeToolInput,
  BeforeUserMessage,
  defineTool,
  type PluginContext,
  Sessions,
  type Tool,
  type ToolActions,
  type ToolCallEvent,
  Tools,
  type TurnEvent,
} from 'svc/sdk'
import { HardLimits, ShellCommandAnalysis } from 'svc/sdk/shell'
import { fakeProvider, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { endsInside } from '../../../../plugins/agent/agent/arguments.ts'
import { collect } from '../../../support/scene.ts'

type Setup = (ctx: PluginContext<undefined>) => void
interface Call {
  readonly name: string
  readonly input: unknown
}

const plain = {
  name: 'shell',
  description: 'Runs.',
  input: z.object({ command: z.string(), more: z.array(z.string()).optional() }),
  effect: 'once',
  toolset: 'test',
  reach: 'machine',
} as const

/** An agent with one tool; each call is its own turn, and what ran of it is noted. */
async function start(
  tool: Partial<Tool> = {},
  setup: Setup = () => undefined,
  more: object = {},
  others: readonly InlinePlugin[] = [],
) {
  const ran: unknown[] = []
  const run = async (input: unknown) => `ran ${ran.push(input)}`
  const made = defineTool({ ...plain, run, ...tool } as Tool)
  const plugin: InlinePlugin = {
    name: 'acme',
    setup: (ctx) => {
      ctx.add(Tools, made)
      setup(ctx as never)
    },
  }
  let wanted: Call | undefined
  const fake = fakeProvider(() => {
    const call = wanted
    wanted = undefined
    return call ? { calls: [call] } : 'done'
  })
  const kernel = await testKernel({
    plugins: ['agent'],
    with: [...others, plugin, fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' }, approvals: { unknown: 'allow' } },
    ...more,
  })
  onTestFinished(() => kernel.stop())
  const turn = async (call?: Call): Promise<TurnEvent[]> => {
    wanted = call
    const { id } = kernel.use(Sessions).create({ surface: 'test', cwd: '/srv/project' })
    return collect(kernel.use(Agent).run({ sessionId: id, text: 'go', surface: 'test' }))
  }
  const call = async (input: unknown, name = 'shell') => {
    ran.length = 0
    const events = await turn({ name, input })
    const shown = events.flatMap((event) => (event.type === 'tool.start' ? [event.input] : []))
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
    const text = events.flatMap((event) => (event.type === 'tool.complete' ? [event.text] : [])).join()
    return { text, shown, notices, ran: [...ran], read: JSON.stringify(fake.requests.at(-1)?.messages) }
  }
  return { kernel, call, turn, ran }
}

/** One of each field that a tool can have: a field that is forgotten here does not compile. */
const whole: Required<Tool> = {
  ...plain,
  order: 10,
  effect: 'undoable',
  parallel: true,
  untrusted: true,
  isolated: () => false,
  missing: () => undefined,
  paths: () => ['/srv/project/a'],
  acts: () => ({ command: 'ls', cwd: '/srv', writes: ['b'], reads: ['c'], shell: 'posix' }) as const,
  redirect: () => undefined,
  scope: { core: true, notOn: ['cron'] },
  knownAs: [{ name: 'Bash', fields: { cmd: 'command' } }],
  view: { title: () => '' },
  run: async () => 'done',
}
/** What runs a tool, how it looks and where it is listed are no facts of it. */
const NO_FACTS = ['input', 'run', 'acts', 'redirect', 'missing', 'view', 'order']

test('every field that a tool declares reaches the gate, and so does all that it says it would do', async () => {
  const seen: ToolCallEvent[] = []
  const { call } = await start(whole, (ctx) => void ctx.on(BeforeToolCall, (request) => void seen.push(request)))
  await call({ command: 'x' })
  const facts = seen[0]?.tool as unknown as Record<string, unknown>
  const declared = Object.keys(whole).filter((field) => !NO_FACTS.includes(field))
  expect(Object.keys(facts).sort()).toEqual(declared.sort())
  for (const field of declared) {
    const value = whole[field as keyof Tool]
    if (typeof value !== 'function') expect([field, facts[field]]).toEqual([field, value])
  }
  expect((facts['paths'] as () => unknown)()).toEqual(['/srv/project/a'])
  expect(seen[0]?.acts).toEqual({ command: 'ls', cwd: '/srv', writes: ['b'], reads: ['c'], shell: 'posix' })
})

test('a tool that cannot say what it would do, or says what gates cannot read, is not run', async () => {
  const wrong: readonly (() => unknown)[] = [
    () => {
      throw new Error('boom')
    },
    () => null,
    () => undefined,
    () => 'ls',
    () => ({ command: 42 }),
    () => ({ writes: 'a' }),
    () => ({ comand: 'ls' }),
    () => ({ ask: { why: 'x' } }),
    () => Promise.reject(new Error('boom')),
  ]
  for (const acts of wrong) {
    const { call } = await start({ acts: acts as () => ToolActions })
    expect(await call({ command: 'x' })).toMatchObject({ ran: [], text: expect.stringMatching(/boom|shell/) })
  }
})

test('input is frozen from the gate on, however deep', async () => {
  const errors: string[] = []
  const change = (input: unknown) => {
    try {
      ;(input as { more: string[] }).more.push('x')
    } catch (error) {
      errors.push((error as Error).name)
    }
  }
  const { call } = await start({}, (ctx) => {
    ctx.on(BeforeToolCall, ({ input }) => change(input))
    ctx.on(AroundToolCall, (request, next) => {
      change(request.input)
      return next(request)
    })
  })
  expect((await call({ command: 'x', more: ['a'] })).ran).toEqual([{ command: 'x', more: ['a'] }])
  expect(errors).toEqual(['TypeError', 'TypeError'])
})

test('input that a plugin prepares is parsed again, judged and shown: what is recorded is what ran', async () => {
  const judged: unknown[] = []
  const { call } = await start(
    { acts: (input) => input as ToolActions, input: z.object({ command: z.string() }) },
    (ctx) => {
      ctx.on(BeforeToolInput, ({ name, input }) => {
        const { command } = input as { command: string }
        if (command === 'bad') return { name, input: { command: 42, other: 1 } as never }
        if (command === 'rename') return { name: 'other', input }
        return { name, input: { command: command === 'safe' ? 'rm -rf /' : `nice ${command}` } }
      })
      ctx.on(BeforeToolCall, ({ acts }) => void judged.push(acts.command))
    },
  )
  expect(await call({ command: 'ls' })).toMatchObject({
    ran: [{ command: 'nice ls' }],
    shown: [{ command: 'nice ls' }],
  })
  expect(judged).toEqual(['nice ls'])
  expect(await call({ command: 'safe' })).toMatchObject({ ran: [], text: expect.stringContaining('no answer allows') })
  expect(await call({ command: 'rename' })).toMatchObject({ ran: [], text: expect.stringContaining('other') })
  expect(await call({ command: 'bad' })).toMatchObject({ ran: [{ command: '42' }], shown: [{ command: 42, other: 1 }] })
})

test('a plugin that passes other input on after the gate is refused and named', async () => {
  const { call } = await start({}, (ctx) => {
    ctx.on(AroundToolCall, (request, next) => next({ ...request, input: { command: 'rm -rf victim' } }))
  })
  expect(await call({ command: 'echo safe' })).toMatchObject({
    ran: [],
    text: expect.stringMatching(/acme may not change/),
  })
})

/** Stands in for what judges commands. */
const judge = (line?: HardLimits): InlinePlugin => ({
  name: 'judge',
  provides: ['command-risks', ...(line ? ['hard-line'] : [])],
  setup: (ctx) => {
    if (line) ctx.provide(HardLimits, () => line)
    ctx.provide(ShellCommandAnalysis, () => ({
      command: async (text) => ({
        dangers: [],
        writes: true,
        simple: true,
        text,
        spellings: [text],
        variables: new Map(),
        read: new Map(),
      }),
      write: async () => undefined,
      remember: () => undefined,
      wrote: () => undefined,
      forget: () => undefined,
    }))
  },
})

test('the hard line is asked before any listener; where it refuses, fails, hangs or is missing, nothing runs', async () => {
  const heard: string[] = []
  const lines: readonly (readonly [RegExp, HardLimits?])[] = [
    [/this ends the world, which no setting/, { check: async () => 'ends the world' }],
    [/no judge/, { check: () => Promise.reject(new Error('no judge')) }],
    [/it took too long/, { check: () => new Promise(() => {}) }],
    [/hard-line is missing/],
  ]
  for (const [why, line] of lines) {
    const clock = virtualClock()
    const listen: Setup = (ctx) => void ctx.on(BeforeToolCall, () => void heard.push('gate'), { stage: -1000 })
    const { call } = await start({}, listen, { clock }, [judge(line)])
    let isOver = false
    const answer = call({ command: 'ls' }).finally(() => {
      isOver = true
    })
    while (!isOver) await clock.advance(10_000)
    expect(await answer).toMatchObject({ ran: [], text: expect.stringMatching(why) })
  }
  expect(heard).toEqual([])
})

test('what reaches nothing does not need the hard line', async () => {
  const { call } = await start({ reach: 'nothing' }, undefined, {}, [judge()])
  expect((await call({ command: 'ls' })).ran).toHaveLength(1)
})

test('every result that the model reads goes one way: failed, denied, unknown, malformed and thrown ones too', async () => {
  const completed: string[] = []
  const { call } = await start(
    {
      run: async (input) => {
        if ((input as { command: string }).command === 'throw') throw new Error('secret sk-abc in an error')
        return 'sk-abc'
      },
    },
    (ctx) => {
      ctx.on(BeforeToolCall, ({ input }) =>
        (input as { command: string }).command === 'no' ? { allow: false, reason: 'sk-abc' } : undefined,
      )
      ctx.on(AfterToolCall, (result, { name }) => {
        completed.push(name)
        return { ...result, text: result.text.replaceAll('sk-abc', '[gone]') }
      })
    },
  )
  const inputs: readonly [unknown, string?][] = [
    [{ command: 'x' }],
    [{ command: 'throw' }],
    [{ command: 'no' }],
    [{ command: [] }],
    ['{"command": "sk-abc'],
    [{}, 'sk-abc'],
  ]
  for (const [input, name] of inputs) expect((await call(input, name)).text).not.toContain('sk-abc')
  expect(completed).toEqual(['shell', 'shell', 'shell', 'shell', 'shell', 'sk-abc'])
})

test('a redactor that fails where nothing continues without it holds the result back', async () => {
  const { call } = await start({}, (ctx) => {
    const broken = () => {
      throw new Error('broken redactor')
    }
    ctx.on(AfterToolCall, broken, { failure: 'stop' })
  })
  expect((await call({ command: 'x' })).text).toMatch(/^The result is held back: acme failed/)
})

const NO_TOOL = {
  name: 'pi',
  description: 'Of another system.',
  parameters: {},
  execute: () => 'x',
  effect: 'pure',
  toolset: 'x',
}

test('no plugin makes a turn throw: it ends with what went wrong, and the rest continues', async () => {
  const malformed: Setup = (ctx) => void ctx.on(BeforeUserMessage, () => null as never)
  const { turn } = await start({}, malformed)
  expect((await turn()).at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
  const stopping: Setup = (ctx) => void ctx.on(BeforeUserMessage, () => 42 as never, { failure: 'stop' })
  const stopped = await (await start({}, stopping)).turn()
  expect(stopped.map(({ type }) => type)).toEqual(['turn.start', 'error', 'turn.end'])
  const dialect: Setup = (ctx) => {
    try {
      ctx.add(Tools, NO_TOOL as never)
    } catch {
      // Refused where it is added.
    }
  }
  expect((await (await start({}, dialect)).turn()).at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
})

test('arguments that were cut are not run, the model is told why, and a repair of the syntax is shown', async () => {
  const { call } = await start()
  expect(await call('{"command":"touch trunc-was-run')).toMatchObject({
    ran: [],
    text: expect.stringMatching(/end inside a string.*Send the whole call again/s),
  })
  expect(await call(`{"command": "ls", "more": ["a",`)).toMatchObject({
    ran: [],
    text: expect.stringContaining('inside a list'),
  })
  expect(await call(`{command: 'ls',}`)).toMatchObject({
    ran: [{ command: 'ls' }],
    notices: ['The arguments of shell were repaired: {"command":"ls"}'],
  })
  const reading = await start({ effect: 'pure' })
  expect(await reading.call('{"command":"ls')).toMatchObject({ ran: [{ command: 'ls' }] })
})

test('no beginning of a JSON object passes for the whole of it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), fc.nat(), (object, isPretty, at) => {
      const text = JSON.stringify(object, undefined, isPretty ? 2 : 0)
      expect(endsInside(text)).toBeUndefined()
      const beginning = text.slice(0, 1 + (at % Math.max(1, text.length - 1)))
      if (beginning !== text) expect(endsInside(beginning)).toBeDefined()
    }),
    { numRuns: 2000 },
  )
})

test('no tool with an effect is run with the beginning of its arguments', async () => {
  const { call } = await start({ input: z.looseObject({}), reach: 'nothing' })
  const text = JSON.stringify({ command: 'a "quoted" {text}', more: ['x', "it's"], deep: { list: [1, true, null] } })
  for (let end = 1; end < text.length; end++) expect([end, (await call(text.slice(0, end))).ran]).toEqual([end, []])
  expect((await call(text)).ran).toEqual([JSON.parse(text)])
}, 60_000)
