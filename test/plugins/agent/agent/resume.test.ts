import {
  Agent,
  Approvals,
  defineTool,
  type Message,
  Sessions,
  type ToolEffect,
  Tools,
  type TurnEvent,
  type TurnEventData,
} from 'svc/sdk'
import type { SessionArchive } from 'svc/sdk/sessions'
import { fakeProvider, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

const call = (name: string) => ({ id: `call_${name}`, name, input: {} })
const start: TurnEventData = {
  type: 'turn.start',
  text: 'go',
  provider: 'fake',
  model: 'fake-1',
  options: { surface: 'test' },
}
const asked: TurnEventData = { type: 'model.start', provider: 'fake', model: 'fake-1', digest: '' }

/** A home in which a process died after these events. A session that was imported belongs to no process. */
async function afterCrash(
  events: readonly TurnEventData[],
  messages: readonly Message[],
  script: ScriptedReply[],
  disabled: readonly string[] = [],
) {
  const ran: string[] = []
  const tool = (name: string, effect: ToolEffect) =>
    defineTool({
      name,
      description: name,
      input: z.object({}),
      effect,
      toolset: 'test',
      reach: 'nothing',
      run: async (_, turn) => {
        ran.push(`${name} ${turn.key}`)
        return `${name} done`
      },
    })
  const fake = fakeProvider(script)
  const kernel = await testKernel({
    plugins: ['agent', 'approvals'],
    config: { model: { provider: 'fake', default: 'fake-1' }, plugins: { disabled } },
    with: [
      fake.plugin,
      {
        name: 'tools',
        setup(ctx) {
          for (const effect of ['pure', 'idempotent', 'once', 'undoable'] as const) ctx.add(Tools, tool(effect, effect))
        },
      },
    ],
  })
  const at = { at: 1, turnId: 'turn_1' }
  const session = {
    id: 'ses_1',
    surface: 'test',
    cwd: kernel.home,
    createdAt: 1,
    updatedAt: 1,
    messageCount: messages.length,
    usage: {},
  }
  const archive: SessionArchive = {
    session,
    messages: messages.map((message) => ({ message, ...at, seq: events.length })),
    events: events.map((event, index) => ({ ...event, sessionId: 'ses_1', turnId: 'turn_1', seq: index + 1 })),
  }
  kernel.use(Sessions).import(archive)
  const resume = () => collect(kernel.use(Agent).resume('ses_1'))
  return { kernel, fake, ran, resume, session: kernel.use(Sessions).open('ses_1') }
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

const wants = (...names: string[]): Message => ({ role: 'assistant', text: '', toolCalls: names.map(call) })
const starts = (name: string): TurnEventData => ({ type: 'tool.start', callId: `call_${name}`, name, input: {} })
const runs = (name: string): TurnEventData => ({ type: 'tool.running', callId: `call_${name}` })
const go: Message = { role: 'user', text: 'go' }
const names = ['pure', 'idempotent', 'once', 'undoable']

test('after a crash tools run again as their effect allows: what only a person can judge is not run when no one is there', async () => {
  const { ran, resume, session, kernel } = await afterCrash(
    [start, asked, ...names.map(starts), ...names.slice(1).map(runs)],
    [go, wants(...names)],
    ['finished'],
  )
  const events = await resume()
  expect(events[0]).toMatchObject({ type: 'turn.resume', attempt: 1, turnId: 'turn_1' })
  expect(events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
  expect(ran).toEqual(['pure turn_1:call_pure', 'idempotent turn_1:call_idempotent'])
  const answers = session.messages().filter(({ role }) => role === 'tool')
  expect(answers).toMatchObject([
    { text: 'pure done' },
    { text: 'idempotent done' },
    { failed: true, text: expect.stringContaining('may have taken effect') },
    { failed: true, text: expect.stringContaining('may have taken effect') },
  ])
  expect(session.messages().at(-1)).toMatchObject({ text: 'finished' })
  await kernel.stop()
})

test('where no plugin can ask anyone, what may have taken effect is not run again either', async () => {
  const { ran, resume, session, kernel } = await afterCrash(
    [start, asked, ...names.map(starts), ...names.map(runs)],
    [go, wants(...names)],
    ['finished'],
    ['approvals'],
  )
  expect(kernel.find(Approvals)).toBeUndefined()
  expect((await resume()).at(-1)).toMatchObject({ reason: 'completed' })
  expect(ran).toEqual(['pure turn_1:call_pure', 'idempotent turn_1:call_idempotent'])
  const told = session.messages().filter((message) => message.role === 'tool' && message.failed)
  expect(told).toHaveLength(2)
  for (const { text } of told) expect(text).toContain('whether it took effect is unknown')
  await kernel.stop()
})

test('what was spent before the crash is part of what the turn took', async () => {
  const usage = { input: 700, output: 30, costUsd: 0.5 }
  const { resume, session, kernel } = await afterCrash(
    [start, asked, { type: 'usage', usage }, starts('pure')],
    [go, wants('pure')],
    [{ text: 'finished', usage: { input: 11, output: 2, costUsd: 0.25 } }],
  )
  const took = { input: 711, output: 32, costUsd: 0.75 }
  expect((await resume()).at(-1)).toMatchObject({ type: 'turn.end', usage: took })
  expect(session.events().at(-1)).toMatchObject({ usage: took })
  await kernel.stop()
})

test('a person who is there is asked, and what is allowed runs once more', async () => {
  const { ran, resume, kernel } = await afterCrash(
    [start, asked, ...names.map(starts), ...names.map(runs)],
    [go, wants(...names)],
    ['finished'],
  )
  const questions: string[] = []
  kernel.use(Approvals).connect({
    name: 'test',
    reaches: () => true,
    ask: async ({ action, reason, choices }) => {
      questions.push(`${action} ${reason} ${choices}`)
      return action.startsWith('once') ? 'once' : 'deny'
    },
  })
  await resume()
  expect(questions).toEqual([
    expect.stringMatching(/^once .*had begun when svc stopped.* once,deny$/),
    expect.stringMatching(/^undoable /),
  ])
  expect(ran.map((line) => line.split(' ')[0])).toEqual(['pure', 'idempotent', 'once'])
  await kernel.stop()
})

test('a tool that had not begun runs as if nothing had happened', async () => {
  const { ran, resume, kernel } = await afterCrash([start, asked, starts('once')], [go, wants('once')], ['finished'])
  await resume()
  expect(ran).toEqual(['once turn_1:call_once'])
  await kernel.stop()
})

test('a result that was shown is not fetched again', async () => {
  const done: TurnEventData = { type: 'tool.complete', callId: 'call_pure', name: 'pure', ok: true, text: 'seen' }
  const { ran, resume, session, kernel } = await afterCrash(
    [start, asked, starts('pure'), done],
    [go, wants('pure')],
    ['finished'],
  )
  await resume()
  expect(ran).toEqual([])
  expect(session.messages()[2]).toEqual({ role: 'tool', callId: 'call_pure', text: 'seen' })
  await kernel.stop()
})

test('text that was shown is kept, and the model continues where it stopped', async () => {
  const { fake, resume, session, kernel } = await afterCrash(
    [start, asked, { type: 'message.delta', text: 'One, two, ' }],
    [go],
    ['three.'],
  )
  await resume()
  expect(session.messages().map(({ text }) => text)).toEqual([
    'go',
    'One, two, ',
    expect.stringMatching(/Go on/),
    'three.',
  ])
  expect(fake.requests).toHaveLength(1)
  await kernel.stop()
})

test('of two answers that were begun before a crash only the later one is kept: the earlier one was given up', async () => {
  const { resume, session, kernel } = await afterCrash(
    [start, asked, { type: 'message.delta', text: 'Given up. ' }, asked, { type: 'message.delta', text: 'One, ' }],
    [go],
    ['two.'],
  )
  await resume()
  expect(session.messages()[1]).toEqual({ role: 'assistant', text: 'One, ' })
  await kernel.stop()
})

test('a turn that only lacked its end gets it, without asking the model', async () => {
  const { fake, resume, kernel } = await afterCrash(
    [start, asked, { type: 'message.complete', text: 'four' }],
    [go, { role: 'assistant', text: 'four' }],
    ['never asked'],
  )
  expect((await resume()).map(({ type }) => type)).toEqual(['turn.resume', 'turn.end'])
  expect(fake.requests).toEqual([])
  await kernel.stop()
})

test('model calls before the crash count towards the cap', async () => {
  const many = Array.from({ length: 90 }, () => asked)
  const { fake, resume, kernel } = await afterCrash([start, ...many], [go], ['summed up'])
  expect((await resume()).at(-1)).toMatchObject({ reason: 'max-iterations' })
  expect(fake.requests[0]?.tools).toEqual([])
  await kernel.stop()
})

test('a third resumption is refused: the turn is closed and says why', async () => {
  const twice: TurnEventData[] = [1, 2].map((attempt) => ({ type: 'turn.resume', attempt }))
  const { fake, resume, kernel } = await afterCrash([start, ...twice], [go], ['never asked'])
  expect(await resume()).toMatchObject([
    { type: 'error', code: 'TURN_CRASHED' },
    { type: 'turn.end', reason: 'crashed' },
  ])
  expect(fake.requests).toEqual([])
  expect(await resume()).toEqual([])
  await kernel.stop()
})

test('someone who says something new instead closes the old turn, and is told', async () => {
  const { kernel, session } = await afterCrash([start, asked], [go], ['hello'])
  const events = await collect(kernel.use(Agent).run({ sessionId: 'ses_1', text: 'hi', surface: 'test' }))
  expect(events.find(({ type }) => type === 'notice')).toMatchObject({ text: expect.stringMatching(/cut off/) })
  expect(session.events().filter(({ type }) => type === 'turn.end')).toMatchObject([
    { turnId: 'turn_1', reason: 'crashed' },
    { reason: 'completed' },
  ])
  await kernel.stop()
})

test('a call that an older turn left without an answer does not make the next question one that services refuse', async () => {
  const end: TurnEventData = { type: 'turn.end', reason: 'interrupted', usage: {} }
  const { kernel, fake, ran } = await afterCrash([start, asked, end], [go, wants('once')], ['hello'])
  const events = await collect(kernel.use(Agent).run({ sessionId: 'ses_1', text: 'hi', surface: 'test' }))
  expect(events.at(-1)).toMatchObject({ reason: 'completed' })
  expect(fake.requests.at(-1)?.messages.slice(1)).toMatchObject([
    go,
    wants('once'),
    { role: 'tool', callId: 'call_once', text: expect.stringContaining('cut off before it was answered') },
    { role: 'user', text: 'hi' },
  ])
  expect(ran).toEqual([])
  await kernel.stop()
})
