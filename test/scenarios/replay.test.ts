/** Fifty-five turns of all kinds are recorded, and each of them runs again offline, byte for byte the same. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, Approvals, Sessions, type TurnEvent } from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'

let server: ModelServer
let kernel: TestKernel
let replies: Reply[] = []

beforeAll(async () => {
  server = await startModelServer({ replies: () => replies.shift() ?? 'nothing more' })
  kernel = await testKernel({
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
    env: { CUSTOM_API_KEY: 'canary-key-12345678', PATH: process.env['PATH'] },
    config: {
      model: {
        provider: 'custom',
        default: 'fake-model',
        base_url: server.url,
        fallbacks: [{ provider: 'custom', model: 'second-model' }],
      },
      approvals: { mode: 'manual' },
    },
  })
  expect(kernel.problems()).toEqual([])
  mkdirSync(join(kernel.home, 'work'))
  writeFileSync(join(kernel.home, 'work', 'notes.txt'), 'one\ntwo\nthree\n')
  kernel.use(Approvals).connect({
    name: 'test',
    reaches: () => true,
    ask: async ({ action }) => (action.includes('keep') ? 'deny' : 'once'),
  })
})
afterAll(async () => {
  await kernel.stop()
  await server.close()
})

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
  'a turn that goes in circles': () => [...Array.from({ length: 6 }, () => calls(read)), 'I stop here.'],
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

test('fifty-five recorded turns come out the same, offline', async () => {
  const turns: string[] = []
  for (let round = 0; round < 5; round++) {
    for (const [kind, script] of Object.entries(kinds)) {
      const session = kernel.use(Sessions).create({ surface: 'test', cwd: join(kernel.home, 'work') })
      replies = script()
      const request = { sessionId: session.id, text: `${kind}, ${round}`, surface: 'test' }
      const events = await collect(kernel.use(Agent).run(request))
      expect(events.at(-1), kind).toMatchObject({ type: 'turn.end' })
      turns.push(events[0]?.turnId ?? '')
    }
  }
  expect(turns).toHaveLength(55)
  const asked = server.requests.length
  for (const turn of turns) {
    const { out, err, code } = await kernel.run(['replay', turn, '--json'])
    expect(JSON.parse(out || '{"difference":"none"}'), err).not.toHaveProperty('difference')
    expect(code, err).toBe(0)
  }
  expect(server.requests).toHaveLength(asked)
}, 120_000)
