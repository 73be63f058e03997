/** Stories of messages whose fate someone wants to know. */
import { join } from 'node:path'
import { Clock, Secrets, type Session, Sessions, type TurnEventData } from 'svc/sdk'
import { Traces } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { KEEP_MS, TraceStore } from '../../../../plugins/sessions/trace/store.ts'

const DAY = 86_400_000

async function open(options: { readonly home?: string; readonly env?: Readonly<Record<string, string>> } = {}) {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['trace', 'sessions'], clock, ...options })
  return { kernel, clock, traces: kernel.use(Traces) }
}

const usage = { input: 1, output: 1 }

/** A turn in the journal of a new session, as the agent writes it. */
function turn(kernel: TestKernel, turnId: string, events: readonly TurnEventData[], key?: string): Session {
  const session = kernel.use(Sessions).create({ surface: 'telegram', cwd: kernel.home })
  const options = { surface: 'telegram', ...(key !== undefined && { key }) }
  const start = { type: 'turn.start', text: 'hi', provider: 'openai', model: 'gpt-5', options } as const
  session.record({ turnId, events: [start, ...events] })
  return session
}

async function why(kernel: TestKernel, id: string): Promise<string> {
  const { out, err } = await kernel.run(['why', id])
  return out + err
}

test('a message that was refused: the rule is named', async () => {
  const { kernel, traces } = await open()
  traces.note('m-1', 'received', 'from telegram:7', ['4711'])
  traces.note('m-1', 'refused', 'no rule of telegram names 7')
  expect(await why(kernel, '4711')).toBe(
    [
      'm-1',
      '2026-01-01 00:00:00    +0.0s  received  from telegram:7',
      '2026-01-01 00:00:00    +0.0s  refused   no rule of telegram names 7',
      'It ended here: refused, no rule of telegram names 7',
      '',
    ].join('\n'),
  )
  await kernel.stop()
})

test('an answer that a tool spoiled: what the hook said stands below the turn, and is the cause', async () => {
  const { kernel, clock, traces } = await open()
  const session = turn(kernel, 't-1', [
    { type: 'tool.start', callId: 'c1', name: 'terminal', input: { command: 'rm -r /' } },
    {
      type: 'tool.complete',
      callId: 'c1',
      name: 'terminal',
      ok: false,
      text: 'Blocked: this deletes the root folder.',
    },
    { type: 'message.complete', text: 'I could not.' },
    { type: 'turn.end', reason: 'completed', usage },
  ])
  traces.note('m-1', 'received', 'from telegram:42', ['4711'])
  traces.note('m-1', 'queued', 'its turn begins', [session.id])
  await clock.advance(9200)
  traces.note('m-1', 'turn', 'it ended: completed', ['t-1'])
  traces.note('m-1', 'sent', 'as message 4712', ['4712'])
  const said = (await why(kernel, '4712')).split('\n')
  expect(said.slice(3, 9)).toEqual([
    '2026-01-01 00:00:09    +9.2s  turn      it ended: completed',
    '                                 · begins with openai/gpt-5',
    '                                 · calls terminal {"command":"rm -r /"}',
    '                                 ! terminal failed: Blocked: this deletes the root folder.',
    '                                 · ends: completed',
    '2026-01-01 00:00:09    +9.2s  sent      as message 4712',
  ])
  expect(said).toContain('What went wrong: terminal failed: Blocked: this deletes the root folder.')
  await kernel.stop()
})

test('a model that failed: its words are the cause, not that the turn failed', async () => {
  const { kernel, traces } = await open()
  const failure = { kind: 'rate-limit', message: 'OpenAI is busy.' } as never
  const session = turn(kernel, 't-1', [
    { type: 'model.start', provider: 'openai', model: 'gpt-5', digest: 'd' },
    { type: 'model.end', reason: 'failed', failure },
    { type: 'error', code: 'MODEL_RATE_LIMIT', message: 'OpenAI is busy. Try again later.' },
    { type: 'turn.end', reason: 'failed', usage },
  ])
  traces.note('m-1', 'turn', 'it ended: failed', [session.id, 't-1'])
  const said = await why(kernel, 'm-1')
  expect(said).toContain('! the model failed: OpenAI is busy.\n')
  expect(said).toContain('What went wrong: OpenAI is busy. Try again later. (MODEL_RATE_LIMIT)\n')
  await kernel.stop()
})

test('a question that no one answered is named, and one that was denied says by whom', async () => {
  const { kernel, traces } = await open()
  const request = {
    id: 'a1',
    sessionId: 's',
    turnId: 't-1',
    tool: 'terminal',
    action: 'rm -r dist',
    reason: 'deletes folders',
    choices: ['once', 'deny'],
    expiresAt: 0,
  } as const
  const asked = turn(kernel, 't-1', [{ type: 'approval.request', request }])
  const denied = turn(kernel, 't-2', [
    { type: 'approval.request', request },
    { type: 'approval.answer', id: 'a1', choice: 'deny', by: 'telegram' },
  ])
  traces.note('m-1', 'turn', 'under way', [asked.id, 't-1'])
  traces.note('m-2', 'turn', 'it ended: completed', [denied.id, 't-2'])
  expect(await why(kernel, 'm-1')).toContain(
    'What went wrong: asks whether terminal may run: rm -r dist. It deletes folders; not answered',
  )
  expect(await why(kernel, 'm-2')).toContain('What went wrong: telegram answers: deny')
  await kernel.stop()
})

test('a turn is found by the key that it was begun with, and other turns of the session are left out', async () => {
  const { kernel, traces } = await open()
  const session = turn(kernel, 't-1', [{ type: 'notice', text: 'mine' }], 'm-1')
  session.record({ turnId: 't-2', events: [{ type: 'notice', text: 'of another' }] })
  traces.note('m-1', 'queued', 'its turn begins', [session.id])
  const said = await why(kernel, 'm-1')
  expect(said).toContain('notice: mine')
  expect(said).not.toContain('of another')
  await kernel.stop()
})

test('a turn of a terminal or of the API, which no platform noted, is found by its id, its session, or as the last one', async () => {
  const { kernel } = await open()
  const session = kernel.use(Sessions).create({ surface: 'api', cwd: kernel.home })
  const options = { surface: 'api' }
  const start = (text: string) => ({ type: 'turn.start', text, provider: 'openai', model: 'gpt-5', options }) as const
  const failure = { type: 'error', code: 'MODEL_FAILED', message: 'The key is wrong.' } as const
  const message = { role: 'user', text: 'hi' } as const
  session.record({ turnId: 'turn_1', events: [start('one'), { type: 'turn.end', reason: 'completed', usage }] })
  session.record({
    turnId: 'turn_2',
    events: [start('two'), failure, { type: 'turn.end', reason: 'failed', usage }],
    messages: [message],
  })
  const second = await why(kernel, 'turn_2')
  expect(second.split('\n')).toEqual([
    'turn_2',
    `2026-01-01 00:00:00    +0.0s  turn  through api, in session ${session.id}`,
    expect.stringContaining('· begins with openai/gpt-5'),
    expect.stringContaining('! The key is wrong. (MODEL_FAILED)'),
    expect.stringContaining('! ends: failed'),
    'What went wrong: The key is wrong. (MODEL_FAILED)',
    '',
  ])
  for (const name of [session.id, 'last']) expect(await why(kernel, name)).toBe(second)
  expect(await why(kernel, 'turn_1')).toContain('ends: completed')
  await kernel.stop()
})

test('a beginning is enough while no other begins like it', async () => {
  const { kernel, traces } = await open()
  traces.note('m-abc', 'received', 'one')
  traces.note('m-abd', 'received', 'two')
  expect(await why(kernel, 'm-abc')).toContain('one')
  expect(await why(kernel, 'm-abd'.slice(0, 4))).toContain(
    'Several messages have an id that begins with m-ab: m-abd, m-abc.',
  )
  traces.note('x-1', 'received', 'three', ['4711'])
  expect(await why(kernel, '47')).toContain('three')
  expect(traces.of('47')).toBeUndefined()
  expect(traces.of('4711')?.stages.map(({ text }) => text)).toEqual(['three'])
  expect(traces.of('m-ab%')).toBeUndefined()
  await kernel.stop()
})

test('an id that two chats use names the newest message and says that there are others', async () => {
  const { kernel, traces } = await open()
  traces.note('m-1', 'received', 'from telegram:1', ['7'])
  traces.note('m-2', 'received', 'from discord:1', ['7'])
  const said = await why(kernel, '7')
  expect(said).toContain('from discord:1')
  expect(said).toContain('Other messages have this id, too: m-1')
  expect(traces.of('7')?.trace).toBe('m-2')
  await kernel.stop()
})

test('an id that no one knows is answered with the newest few', async () => {
  const { kernel, traces } = await open()
  expect(await why(kernel, 'nothing')).toContain('No message with the id "nothing" is known. No message was noted yet.')
  for (let at = 1; at <= 7; at += 1) traces.note(`m-${at}`, 'received', 'x')
  const { code, err } = await kernel.run(['why', 'nothing'])
  expect(code).toBe(1)
  expect(err).toContain('The newest are:\n  m-7  2026-01-01 00:00:00  received\n  m-6')
  expect(err).not.toContain('m-2')
  await kernel.stop()
})

test('as JSON it is the same, as data', async () => {
  const { kernel, traces } = await open()
  const session = turn(kernel, 't-1', [{ type: 'error', code: 'X', message: 'Broken.' }])
  traces.note('m-1', 'turn', 'it ended: failed', [session.id, 't-1'])
  const { out } = await kernel.run(['why', 'm-1', '--json'])
  expect(JSON.parse(out)).toMatchObject({
    trace: 'm-1',
    cause: 'Broken. (X)',
    stages: [
      { stage: 'turn', ids: [session.id, 't-1'], turn: [{ turnId: 't-1' }, { text: 'Broken. (X)', isTrouble: true }] },
    ],
  })
  await kernel.stop()
})

test('what was noted is there after a stop, and another process sees it soon', async () => {
  const before = await testKernel({ plugins: ['storage'] })
  const { home } = before
  const one = await open({ home })
  one.traces.note('m-1', 'received', 'soon')
  const other = await open({ home })
  expect(other.traces.of('m-1')).toBeUndefined()
  await one.clock.advance(250)
  expect(other.traces.of('m-1')?.stages).toHaveLength(1)
  one.traces.note('m-1', 'sent', 'at the end')
  await one.kernel.stop()
  expect(other.traces.of('m-1')?.stages).toHaveLength(2)
  await other.kernel.stop()
  await before.stop()
})

test('secrets and characters that steer a terminal do not come out', async () => {
  const { kernel, traces } = await open({ env: { OPENAI_API_KEY: 'sk-very-secret' } })
  traces.note('m-1', 'failed', 'the key sk-very-secret \u001b[2J is wrong\nreally')
  const said = await why(kernel, 'm-1')
  expect(said).toContain('the key ***  [2J is wrong really')
  expect(said).not.toContain('\u001b')
  await kernel.stop()
})

test('what is old goes, and what is too much goes from its beginning', async () => {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['storage'], clock })
  const ports = {
    storage: () => kernel.use(Storage),
    clock: () => kernel.use(Clock),
    mask: (text: string) => kernel.use(Secrets).mask(text),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    file: join(kernel.home, 'traces.db'),
    mostStages: 100,
  }
  const store = new TraceStore(ports)
  store.note('old', 'received', 'x', ['old-id'])
  store.flush()
  await clock.advance(KEEP_MS + DAY)
  for (let at = 0; at < 2500; at += 1) store.note(`m-${at}`, 'received', 'x')
  expect([store.find('old-id'), store.find('m-0'), store.find('m-2499')]).toEqual([[], [], ['m-2499']])
  await store.close()
  const again = new TraceStore(ports)
  again.note('last', 'received', 'x')
  // A part goes with each writing, the rest while the process runs.
  expect(again.newest(5000).length).toBeGreaterThan(500)
  await clock.advance(2 * 60_000)
  expect(again.find('m-2300')).toEqual([])
  expect(again.newest(200)).toHaveLength(100)
  await again.close()
  await kernel.stop()
})

test('a disk that fails is said in the log and stops no one', async () => {
  const warned: string[] = []
  const kernel = await testKernel({ plugins: ['storage'] })
  const store = new TraceStore({
    storage: () => {
      throw new Error('disk full')
    },
    clock: () => kernel.use(Clock),
    mask: (text) => text,
    log: { debug() {}, info() {}, warn: (message) => void warned.push(message), error() {} },
    file: join(kernel.home, 'traces.db'),
  })
  for (let at = 0; at < 600; at += 1) store.note('m-1', 'received', 'x')
  await store.close()
  expect(warned).toEqual(['stages of messages could not be kept', 'stages of messages could not be kept'])
  await kernel.stop()
})
