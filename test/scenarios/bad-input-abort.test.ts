/** A turn that is stopped at any moment leaves a conversation that every model takes, and no question open. */
import type { InlinePlugin } from 'svc'
import {
  AfterToolCall,
  Agent,
  Approvals,
  BeforeModelRequest,
  BeforeUserMessage,
  defineTool,
  Sessions,
  type Tool,
  type TurnEvent,
} from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { whyInvalid } from '../plugins/sessions/sessions/support.ts'
import { toolPlugin } from '../support/scene.ts'

/** A tool that waits until the turn is stopped, as a good one does. */
function waiting(name: string, effect: NonNullable<Tool['effect']>, begun: () => void): Tool {
  return defineTool({
    name,
    description: name,
    input: z.object({}),
    effect,
    toolset: 'test',
    reach: 'nothing',
    parallel: true,
    async run(_input, turn) {
      begun()
      await new Promise<void>((resolve) => {
        if (turn.signal.aborted) resolve()
        turn.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      turn.signal.throwIfAborted()
      return 'never'
    },
  })
}

const two: ScriptedReply = {
  text: 'Looking.',
  calls: [
    { name: 'wait', input: {} },
    { name: 'wait_once', input: {} },
    { name: 'terminal', input: { command: 'rm -rf ./build' } },
  ],
}

interface Phase {
  readonly script?: readonly ScriptedReply[]
  readonly plugin?: (abort: () => void) => InlinePlugin
  /** Stops at the first event for which it holds. */
  readonly at?: (event: TurnEvent) => boolean
  readonly tool?: 'aborts'
  readonly approver?: 'aborts'
}

const isType = (type: TurnEvent['type']) => (event: TurnEvent) => event.type === type

function hooked(add: (ctx: Parameters<InlinePlugin['setup']>[0], abort: () => void) => void) {
  return (abort: () => void): InlinePlugin => ({ name: 'scene-hook', setup: (ctx) => add(ctx, abort) })
}

const phases: Record<string, Phase> = {
  'while its text comes in': {
    plugin: hooked((ctx, abort) =>
      ctx.on(BeforeUserMessage, (text) => {
        abort()
        return text
      }),
    ),
  },
  'while its request is built': {
    plugin: hooked((ctx, abort) =>
      ctx.on(BeforeModelRequest, (messages) => {
        abort()
        return messages
      }),
    ),
  },
  'at its first event': { at: isType('turn.start') },
  'when the model is asked': { at: isType('model.start') },
  'in the middle of the answer': { at: isType('message.delta'), script: [{ pieces: ['a', 'b', 'c', 'd'] }] },
  'while the model thinks': { at: isType('reasoning.delta'), script: [{ reasoning: 'hm', pieces: ['a', 'b'] }] },
  'when the usage is told': { at: isType('usage') },
  'when the answer is over': { at: isType('model.end') },
  'when the answer is complete': { at: isType('message.complete') },
  'when tools are announced': { at: isType('tool.start'), script: [two, 'Done.'] },
  'when a tool begins': { at: isType('tool.running'), script: [two, 'Done.'] },
  'in a tool': { tool: 'aborts', script: [two, 'Done.'] },
  'when a tool is done': {
    script: [two, 'Done.'],
    tool: 'aborts',
    plugin: hooked((ctx, abort) =>
      ctx.on(AfterToolCall, (result) => {
        abort()
        return result
      }),
    ),
  },
  'in an approval': {
    approver: 'aborts',
    script: [{ calls: [{ name: 'terminal', input: { command: 'rm -rf ./build' } }] }, 'Done.'],
  },
  'when an approval is asked for': {
    at: isType('approval.request'),
    approver: 'aborts',
    script: [{ calls: [{ name: 'terminal', input: { command: 'rm -rf ./build' } }] }, 'Done.'],
  },
  'between two tries': {
    at: isType('notice'),
    script: [{ failure: { kind: 'overloaded', retryable: true } }, 'Done.'],
  },
  'after an empty answer': { at: isType('notice'), script: ['', 'Done.'] },
  'when the output limit cut the answer': {
    at: isType('message.complete'),
    script: [{ text: 'half', end: 'length' }, 'rest'],
  },
}

async function stage({ script, plugin, tool, approver }: Phase) {
  const abort = new AbortController()
  const fake = fakeProvider(script ?? ['Hello there.'])
  const begun = () => {
    if (tool) abort.abort(new DOMException('stopped', 'AbortError'))
  }
  const kernel = await testKernel({
    plugins: ['agent', 'approvals', 'tool-terminal', 'budgets'],
    with: [
      fake.plugin,
      toolPlugin(waiting('wait', 'pure', begun), waiting('wait_once', 'once', begun)),
      ...(plugin ? [plugin(() => abort.abort())] : []),
    ],
    env: { PATH: process.env['PATH'] },
    config: { model: { provider: 'fake', default: 'fake-1' } },
    clock: virtualClock(Date.now()),
  })
  onTestFinished(() => kernel.stop())
  if (approver)
    kernel.use(Approvals).connect({
      name: 'test',
      reaches: () => true,
      ask: () => {
        abort.abort()
        return new Promise(() => undefined)
      },
    })
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  return { kernel, session, abort, fake }
}

async function play(phase: Phase, how: 'signal' | 'interrupt' | 'leave') {
  const staged = await stage(phase)
  const { kernel, session, abort } = staged
  const agent = kernel.use(Agent)
  const signal = how === 'signal' || !phase.at ? { signal: abort.signal } : {}
  const events: TurnEvent[] = []
  for await (const event of agent.run({ sessionId: session.id, text: 'go', surface: 'test', ...signal })) {
    events.push(event)
    if (!phase.at?.(event)) continue
    if (how === 'leave') break
    if (how === 'signal') abort.abort()
    else agent.interrupt(session.id)
  }
  return { ...staged, events }
}

function expectSound({ kernel, session }: Awaited<ReturnType<typeof play>>): void {
  expect(whyInvalid(session.messages())).toBeUndefined()
  const events = session.events()
  expect(events.at(-1)?.type).toBe('turn.end')
  expect(kernel.use(Agent).busy(session.id)).toBe(false)
  expect(kernel.use(Approvals).pending()).toEqual([])
  const started = events.filter(({ type }) => type === 'tool.start').length
  expect(events.filter(({ type }) => type === 'tool.complete')).toHaveLength(started)
}

const hows = ['signal', 'interrupt', 'leave'] as const
const cases = Object.entries(phases).flatMap(([name, phase]) =>
  (phase.at ? hows : (['signal'] as const)).map((how) => [name, how] as const),
)

test.each(cases)('a turn stopped %s (%s) is sound, and the next one works', async (name, how) => {
  const played = await play(phases[name] as Phase, how)
  expectSound(played)
  const { kernel, session, fake, events } = played
  if (how !== 'leave') {
    expect(events.at(-1)?.type).toBe('turn.end')
    expect(events.filter(({ type }) => type === 'error')).toEqual([])
  }
  const before = fake.requests.length
  const next: TurnEvent[] = []
  const ask = { sessionId: session.id, text: 'and now?', surface: 'test', maxIterations: 1 }
  for await (const event of kernel.use(Agent).run(ask)) next.push(event)
  expect(next.at(-1)?.type).toBe('turn.end')
  expect(fake.requests.length).toBeGreaterThan(before)
  const sent = fake.requests.at(before)?.messages ?? []
  expect(whyInvalid(sent)).toBeUndefined()
  expect(sent.filter((message, at) => message.role === 'user' && sent[at + 1]?.role === 'user')).toEqual([])
})

test('a turn that is stopped before it starts asks no model', async () => {
  const { kernel, session, fake } = await stage({})
  const stop = new AbortController()
  stop.abort()
  const events: TurnEvent[] = []
  const run = async () => {
    const asked = { sessionId: session.id, text: 'go', surface: 'test', signal: stop.signal }
    for await (const event of kernel.use(Agent).run(asked)) events.push(event)
  }
  await run()
  expect(fake.requests).toHaveLength(0)
  expect(whyInvalid(session.messages())).toBeUndefined()
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'interrupted' })
})
