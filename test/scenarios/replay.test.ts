/** Turns of all kinds are recorded, and each of them runs again offline, byte for byte the same. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, Approvals, Sessions, type TurnEvent } from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runBuilt } from '../support/built.ts'
import type { Reply } from '../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { isToday } from '../support/today.ts'

let server: ModelServer
let kernel: TestKernel
/** No one approves there, money is short, and a call has two seconds. */
let strict: TestKernel
let replies: Reply[] = []
let onReply: (reply: Reply) => void = () => {}

beforeAll(async () => {
  server = await startModelServer({
    replies: () => {
      const reply = replies.shift() ?? 'nothing more'
      onReply(reply)
      return reply
    },
  })
  const fallbacks = [{ provider: 'custom', model: 'second-model' }]
  kernel = await open({ model: { fallbacks } })
  strict = await open({ model: { fallbacks: [] }, budget: { session: { tokens: 60 } } }, { SVC_API_TIMEOUT: '2' })
  kernel.use(Approvals).connect({
    name: 'test',
    reaches: () => true,
    ask: async ({ action }) => (action.includes('keep') ? 'deny' : 'once'),
  })
})
afterAll(async () => {
  await kernel.stop()
  await strict.stop()
  await server.close()
})

async function open(
  { model, ...config }: { readonly model: Readonly<Record<string, unknown>>; readonly budget?: unknown },
  env: Readonly<Record<string, string>> = {},
): Promise<TestKernel> {
  const opened = await testKernel({
    plugins: [
      'agent',
      'approvals',
      'replay',
      'budgets',
      'tool-files',
      'tool-terminal',
      'tool-todo',
      'tool-memory',
      'prompt',
    ],
    env: { CUSTOM_API_KEY: 'canary-key-12345678', PATH: process.env['PATH'], ...env },
    config: {
      model: { provider: 'custom', default: 'fake-model', base_url: server.url, ...model },
      approvals: { mode: 'manual' },
      ...config,
    },
  })
  expect(opened.problems()).toEqual([])
  mkdirSync(join(opened.home, 'work'))
  writeFileSync(join(opened.home, 'work', 'notes.txt'), 'one\ntwo\nthree\n')
  return opened
}

const calls = (...made: [string, object | string][]): Reply => ({
  text: ['Let ', 'me see.'],
  calls: made.map(([name, args]) => ({ name, arguments: args })),
})
const shell = (command: string): [string, object] => ['terminal', { command }]
const read: [string, object] = ['read_file', { path: 'notes.txt' }]

const down: Reply = { fault: { status: 503, headers: { 'retry-after': '0' } } }

/** What the model does in each kind of turn. */
const kinds: Record<string, () => Reply[]> = {
  'an answer in pieces': () => [{ text: ['Four', ' is ', 'the ', 'answer: ', '日本語 🎉'] }],
  'one command': () => [calls(shell('echo hello && pwd')), 'It says hello.'],
  'tools side by side': () => [
    calls(read, ['list_files', { path: '.' }], ['search_files', { pattern: 'two' }]),
    'Found.',
  ],
  'a failing command': () => [calls(shell('cat /nowhere')), calls(shell('false')), 'It failed.'],
  'an unknown tool and wrong arguments': () => [
    calls(['reed_the_file', {}], ['read_file', { path: 7, limit: 'many' }], ['read_file', '{"path": "notes.txt",}']),
    'Sorry.',
  ],
  'a command that is asked about': () => [calls(shell('rm -rf ./build')), 'Removed.'],
  'a command that is refused': () => [calls(shell('rm -rf ./keep')), 'Then not.'],
  'a plan and a file': () => [
    calls(['todo', { todos: [{ id: 'a', content: 'write', status: 'pending' }] }]),
    calls(['write_file', { path: 'out.txt', content: 'line\n' }], ['read_file', { path: 'out.txt' }]),
    'Written.',
  ],
  'a service that is down for a moment': () => [down, down, 'Back.'],
  'a model that another one stands in for': () => [{ fault: { status: 401 } }, 'I am the second.'],
  'a command that is never run': () => [calls(shell('rm -rf /')), 'I will not.'],
  'refused calls beside calls that run': () => [
    calls(shell('mkfs.ext4 /dev/sda'), read, ['reed', {}]),
    'One of three.',
  ],
  'an answer whose connection breaks': () => [
    { text: ['Half an ', 'answer', ' that', ' breaks', ' off', ' in the middle'], fault: 'cut' },
    ' and the rest.',
  ],
  'an error in the middle of an answer': () => [
    { text: ['Half an ', 'answer', ' that', ' breaks', ' off', ' in the middle'], fault: 'error-event' },
    ' and the rest.',
  ],
  'an answer cut by the output limit': () => [{ text: 'One', finish: 'length' }, ', two.'],
  'a call cut by the output limit': () => [{ ...(calls(shell('echo cut')) as object), finish: 'length' }, 'Fine.'],
  'an empty answer': () => ['', 'Now.'],
  'a turn that goes in circles': () => [...Array.from({ length: 6 }, () => calls(read)), 'I stop here.'],
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

/** Three turns of a kind, each in its own session. */
async function record(
  on: TestKernel,
  kind: string,
  script: () => Reply[],
  { steer }: { readonly steer?: string } = {},
): Promise<string[]> {
  const turns: string[] = []
  for (let round = 0; round < 3; round++) {
    const session = on.use(Sessions).create({ surface: 'test', cwd: join(on.home, 'work') })
    replies = script()
    let said = steer
    onReply = (reply) => {
      const isLast = replies.length === 0 || (typeof reply === 'object' && reply.fault !== undefined)
      if (said === undefined || !isLast) return
      on.use(Agent).steer(session.id, said)
      said = undefined
    }
    const request = { sessionId: session.id, text: `${kind}, ${round}`, surface: 'test' }
    const events = await collect(on.use(Agent).run(request))
    expect(events.at(-1)).toMatchObject({ type: 'turn.end' })
    turns.push(events[0]?.turnId ?? '')
  }
  return turns
}

async function replayAll(on: TestKernel, turns: readonly string[]): Promise<void> {
  const asked = server.requests.length
  for (const turn of turns) {
    const { out, err, code } = await on.run(['replay', turn, '--json'])
    expect(JSON.parse(out || '{"difference":"none"}'), err).not.toHaveProperty('difference')
    expect(code, err).toBe(0)
  }
  expect(server.requests).toHaveLength(asked)
}

/** Half of them each day. */
test.each(Object.entries(kinds).filter((_, at) => isToday(at, 4)))(
  '%s comes out the same, offline',
  async (kind, script) => {
    await replayAll(kernel, await record(kernel, kind, script))
  },
  60_000,
)

/** Turns that end with an error to which the user says something during their last call of the model. */
const steered: Record<string, () => Reply[]> = {
  'a word to a turn whose model refuses': () => [calls(read), { fault: { status: 400 } }, { fault: { status: 400 } }],
  'a word to a turn whose answer breaks off for good': () => [
    calls(read),
    ...Array.from({ length: 30 }, (): Reply => ({ text: ['Half an ', 'answer'], fault: 'cut' })),
  ],
}

test.each(Object.entries(steered))(
  '%s comes out the same in the built program',
  async (kind, script) => {
    for (const turn of await record(kernel, kind, script, { steer: 'use the blue one' })) {
      const sessions = kernel.use(Sessions)
      const { events } = sessions.export(sessions.findTurn(turn)?.id ?? '')
      expect(events.map(({ type }) => type).slice(-3)).toEqual(['error', 'steer', 'turn.end'])
      const { code, out, err } = runBuilt(['replay', turn, '--json'], { home: kernel.home })
      expect(JSON.parse(out || '{"difference":"none"}'), err).not.toHaveProperty('difference')
      expect(code, err).toBe(0)
    }
  },
  120_000,
)

const limited: Record<string, () => Reply[]> = {
  'a command that nobody can approve': () => [calls(shell('rm -rf ./build')), 'No.'],
  'a turn that ends because its money is spent': () =>
    Array.from({ length: 9 }, (_, at) => calls(['read_file', { path: 'notes.txt', offset: at }])),
  'a model that takes too long': () => [{ text: ['Half an ', 'answer', ' that', ' stops'], fault: 'stall' }, ' Done.'],
}

test.each(Object.entries(limited))(
  '%s, under limits, comes out the same offline',
  async (kind, script) => {
    await replayAll(strict, await record(strict, kind, script))
  },
  60_000,
)
