/** What happens around an effect: what is on disk before it, who may still stop it, and what is told of it. */
import { getEventListeners } from 'node:events'
import type { InlinePlugin } from 'svc'
import { Agent, BeforeToolCall, defineTool, type Tool, type ToolContext, TurnEnded, type TurnEvent } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import type { ScriptedReply } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { scene, toolPlugin } from '../../../support/scene.ts'
import { heldStorage } from './held-storage.ts'

const act = (run: (turn: ToolContext) => unknown, more: Partial<Tool> = {}): Tool =>
  defineTool({
    name: 'act',
    description: 'Acts.',
    input: z.object({}),
    effect: 'once',
    toolset: 'test',
    reach: 'nothing',
    run: async (_, turn) => (await run(turn)) as string,
    ...more,
  } as Tool)

const callAct: ScriptedReply = { calls: [{ name: 'act' }] }

/** Long enough for all that does not wait for the disk. On a busy machine too short a time hides a defect, and makes no test fail. */
async function rounds(): Promise<void> {
  for (const end = performance.now() + 400; performance.now() < end; )
    await new Promise((resolve) => setImmediate(resolve))
}

async function until(isTrue: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isTrue()).toBe(true), { timeout: 20_000, interval: 5 })
}

test('an effect begins when the note that it begins would survive a power cut, and not before', async () => {
  const disk = heldStorage()
  const ran: string[] = []
  const tool = toolPlugin(act(() => `ran ${ran.push('act')}`))
  const script = [callAct, 'done', callAct, 'done']
  const { kernel, turn, session } = await scene({ script, with: [disk.plugin, tool] })
  // From the second time on nothing has to be loaded first.
  await turn('go')
  expect(ran.splice(0)).toEqual(['act'])
  const before = session.events().at(-1)?.seq ?? 0
  disk.hold('synced')
  const going = turn('again')
  await until(() => session.events().filter(({ type }) => type === 'tool.running').length === 2)
  const seen: string[] = []
  const following = (async () => {
    for await (const { type } of kernel.use(Agent).follow(session.id, before)) seen.push(type)
  })()
  await rounds()
  expect(ran).toEqual([])
  expect(seen).not.toContain('tool.running')
  disk.release()
  await following
  expect(seen).toContain('tool.running')
  expect((await going).at(-1)).toMatchObject({ reason: 'completed' })
  expect(ran).toEqual(['act'])
})

test('neither who asked nor who follows sees an event that a crash could still take away', async () => {
  const disk = heldStorage()
  const { kernel, session, fake } = await scene({ script: ['hello'], with: [disk.plugin] })
  const seen: string[] = []
  const agent = kernel.use(Agent)
  const watch = async (events: AsyncIterable<TurnEvent>, who: string) => {
    for await (const { type } of events) seen.push(`${who} ${type}`)
  }
  disk.hold('committed')
  const going = watch(agent.run({ sessionId: session.id, text: 'go', surface: 'test' }), 'asker')
  await until(() => fake.requests.length === 1)
  const following = watch(agent.follow(session.id, 0), 'follower')
  await until(() => session.events().some(({ type }) => type === 'message.complete'))
  await rounds()
  expect(seen).toEqual([])
  disk.release()
  await Promise.all([going, following])
  expect(seen).toContain('asker turn.end')
  expect(seen).toContain('follower turn.end')
})

test('a turn that is stopped while someone decides on a call does not run it, whatever is decided', async () => {
  const ran: string[] = []
  const abort = new AbortController()
  const gate: InlinePlugin = {
    name: 'slow-gate',
    setup: (ctx) =>
      void ctx.on(BeforeToolCall, () => {
        abort.abort()
        return { decision: 'allow' } as const
      }),
  }
  const { turn, session } = await scene({
    script: [callAct, 'never asked'],
    with: [gate, toolPlugin(act(() => `ran ${ran.push('act')}`))],
  })
  const events = await turn('go', { signal: abort.signal })
  expect(events.at(-1)).toMatchObject({ reason: 'interrupted' })
  expect(events.some(({ type }) => type === 'tool.running')).toBe(false)
  expect(session.messages().at(-1)).toMatchObject({ role: 'tool', text: expect.stringMatching(/^Not run/) })
  expect(ran).toEqual([])
})

test('the calls of an answer that was held back in the middle are not run', async () => {
  const ran: string[] = []
  const { turn, session } = await scene({
    script: [{ text: 'I begin.', calls: [{ name: 'act' }], end: 'filtered' }],
    with: [toolPlugin(act(() => `ran ${ran.push('act')}`))],
  })
  const events = await turn('go')
  expect(ran).toEqual([])
  expect(events.some(({ type }) => type === 'tool.start')).toBe(false)
  expect(session.messages().at(-1)).toEqual({ role: 'assistant', text: 'I begin.' })
})

test('a secret in the data of a result, in its keys or as a number is seen by no one', async () => {
  const env = { SOME_API_KEY: 'sk-canary-0123456789', OTHER_TOKEN: '90210903124578' }
  const data = { deep: [{ note: `it is ${env.SOME_API_KEY}!` }], [env.SOME_API_KEY]: 1, pin: Number(env.OTHER_TOKEN) }
  const { turn, session } = await scene({
    script: [callAct, 'done'],
    with: [toolPlugin(act(() => ({ text: 'fine', data })))],
    env,
  })
  const events = await turn('go')
  expect(events.find(({ type }) => type === 'tool.complete')).toMatchObject({
    data: { deep: [{ note: 'it is ***!' }] },
  })
  for (const secret of Object.values(env))
    expect(JSON.stringify([events, session.events(), session.messages()])).not.toContain(secret)
})

test('a secret that a tool reports while it works is seen by no one', async () => {
  const secret = 'sk-canary-0123456789'
  const { turn, session } = await scene({
    script: [callAct, 'done'],
    with: [
      toolPlugin(
        act((here) => {
          here.progress(`signing in with ${secret}`)
          return 'fine'
        }),
      ),
    ],
    env: { SOME_API_KEY: secret },
  })
  const events = await turn('go')
  expect(events.find(({ type }) => type === 'tool.progress')).toMatchObject({ text: 'signing in with ***' })
  expect(JSON.stringify(session.events())).not.toContain(secret)
})

test('a turn of many calls leaves no ear at the signal that stops it', async () => {
  const heard: number[] = []
  const tool = act(({ signal }) => `${heard.push(getEventListeners(signal, 'abort').length)} calls`, { effect: 'pure' })
  const calls = Array.from({ length: 6 }, () => callAct)
  const { turn } = await scene({ script: [...calls, 'done'], with: [toolPlugin(tool)] })
  await turn('go')
  expect(heard).toEqual(calls.map(() => heard[0]))
})

test('the end of a turn is told to plugins when a power cut would not take it back', async () => {
  const disk = heldStorage()
  const ended: string[] = []
  const listener: InlinePlugin = {
    name: 'listener',
    setup: (ctx) => void ctx.on(TurnEnded, ({ reason }) => void ended.push(reason)),
  }
  const { turn, session } = await scene({ script: ['hello'], with: [disk.plugin, listener] })
  disk.hold('synced')
  const going = turn('go')
  await until(() => session.events().some(({ type }) => type === 'turn.end'))
  await rounds()
  expect(ended).toEqual([])
  disk.release()
  await going
  expect(ended).toEqual(['completed'])
})

test('a front end that goes away in the middle of a tool stops it, and the model is not asked again', async () => {
  let isStopped = false
  const slow = act(async ({ signal, progress }) => {
    progress('begun')
    for (let round = 0; round < 500 && !signal.aborted; round++) await rounds()
    isStopped = signal.aborted
    return 'done'
  })
  const { kernel, session, fake } = await scene({ script: [callAct, 'never asked'], with: [toolPlugin(slow)] })
  for await (const { type } of kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' })) {
    if (type === 'tool.progress') break
  }
  expect(isStopped).toBe(true)
  expect(fake.requests).toHaveLength(1)
  expect(session.events().at(-1)).toMatchObject({ type: 'turn.end', reason: 'interrupted' })
})

test('of a result that is too long the model reads the beginning and the end', async () => {
  const text = `BEGIN ${'x'.repeat(5000)} END`
  const { turn, session } = await scene({
    script: [callAct, 'done'],
    with: [toolPlugin(act(() => text))],
    config: { agent: { max_result_chars: 1000 } },
  })
  await turn('go')
  const read = session.messages().find(({ role }) => role === 'tool')?.text ?? ''
  expect(read).toMatch(/^BEGIN x+\n\[4010 characters left out\]\nx+ END$/)
  expect(read.length).toBeLessThan(1100)
})

test('pieces of text that come at once are shown whole, and kept whole', async () => {
  const pieces = ['One, ', 'two, ', 'three.'].map((text) => ({ type: 'text', text }) as const)
  const batching: InlinePlugin = {
    name: 'batching',
    kind: 'provider',
    contributes: { providers: ['batching'] },
    setup: (ctx) =>
      void ctx.add(Providers, {
        name: 'batching',
        label: 'Batching',
        status: async () => ({ ready: true, detail: 'scripted' }),
        models: async () => [{ id: 'all-at-once' }],
        async *stream() {
          yield [{ type: 'reasoning', text: 'Hm, ' }, { type: 'reasoning', text: 'so.' }, ...pieces]
          yield [
            { type: 'usage', usage: { input: 1 } },
            { type: 'end', reason: 'stop' },
          ]
        },
      }),
  }
  const { turn, session } = await scene({
    with: [batching],
    config: { model: { provider: 'batching', default: 'all-at-once' } },
  })
  const events = await turn('count')
  const shown = (type: string) =>
    events.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : []))
  expect(shown('message.delta').join('')).toBe('One, two, three.')
  expect(shown('reasoning.delta').join('')).toBe('Hm, so.')
  expect(session.messages().at(-1)?.text).toBe('One, two, three.')
})
