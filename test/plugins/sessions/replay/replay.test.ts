/** Replays that are not the same, that lost something, and forks. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, Sessions, type TurnEvent } from 'svc/sdk'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Reply } from '../../../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../../../support/model-server.ts'

let server: ModelServer
let kernel: TestKernel
let replies: Reply[] = []

beforeAll(async () => {
  server = await startModelServer({ replies: () => replies.shift() ?? 'nothing more' })
  kernel = await testKernel({
    plugins: ['agent', 'replay', 'tool-files', 'tool-terminal'],
    env: { PATH: process.env['PATH'] },
    config: { model: { provider: 'custom', default: 'fake-model', base_url: server.url } },
  })
  mkdirSync(join(kernel.home, 'work'))
  writeFileSync(join(kernel.home, 'work', 'notes.txt'), 'one\ntwo\nthree\n')
})
afterAll(async () => {
  await kernel.stop()
  await server.close()
})

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

const calls = (...made: [string, object][]): Reply => ({
  text: ['Let ', 'me see.'],
  calls: made.map(([name, args]) => ({ name, arguments: args })),
})
const shell = (command: string): [string, object] => ['terminal', { command }]
const read: [string, object] = ['read_file', { path: 'notes.txt' }]

test('a jitter of the pause before another try is on the tape too', async () => {
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  replies = [{ fault: { status: 500 } }, 'Back.']
  await collect(kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
  expect(await kernel.run(['replay', session.id])).toMatchObject({ code: 0, out: expect.stringMatching(/the same/) })
})

test('a turn that another one followed has lost its deltas, and is compared without them', async () => {
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: join(kernel.home, 'work') })
  replies = [calls(read, shell('echo one; sleep 0.1; echo two')), 'First.', 'Second.']
  for (const text of ['one', 'two'])
    await collect(kernel.use(Agent).run({ sessionId: session.id, text, surface: 'test' }))
  const { out, code } = await kernel.run(['replay', session.id, '--all'])
  expect(out.match(/the same byte for byte/g)).toHaveLength(2)
  expect(code).toBe(0)
})

test('a prompt that drifted is found at the first event where it shows', async () => {
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  replies = ['Hello.']
  await collect(kernel.use(Agent).run({ sessionId: session.id, text: 'hi', surface: 'test' }))
  const archive = kernel.use(Sessions).export(session.id)
  kernel.use(Sessions).import({
    ...archive,
    session: { ...archive.session, id: 'drifted' },
    systemPrompt: `${archive.systemPrompt} And be rude.`,
  })
  const { out, code } = await kernel.run(['replay', 'drifted'])
  expect(code).toBe(1)
  expect(out).toMatch(/not the same from event 1 on: the model was asked something else: the prompt/)
})

test('a replay that waits for what cannot come ends after ten seconds, and says where it left the track', async () => {
  const clock = virtualClock()
  const late = await testKernel({
    clock,
    plugins: ['agent', 'replay', 'tool-terminal'],
    env: { PATH: process.env['PATH'] },
    config: { model: { provider: 'custom', default: 'fake-model', base_url: server.url } },
  })
  onTestFinished(() => late.stop())
  const sessions = late.use(Sessions)
  const session = sessions.create({ surface: 'test', cwd: late.home })
  replies = [{ ...(calls(shell('echo cut')) as object), finish: 'length' }, 'Fine.']
  await collect(late.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' }))
  const archive = sessions.export(session.id)
  const events = archive.events.map((event) => {
    if (event.type !== 'model.end') return event
    const { cutCalls: _, ...rest } = event
    return rest
  })
  sessions.import({ ...archive, session: { ...archive.session, id: 'stalled' }, events })
  const replayed = late.run(['replay', 'stalled'])
  let isOver = false
  void replayed.finally(() => {
    isOver = true
  })
  await vi.waitFor(async () => {
    await clock.advance(10_000)
    expect(isOver).toBe(true)
  })
  expect(await replayed).toMatchObject({ code: 1, out: expect.stringMatching(/not the same from event \d/) })
})

test('a fork continues from any event with another model, and leaves the old session as it was', async () => {
  const session = kernel.use(Sessions).create({ surface: 'test', cwd: join(kernel.home, 'work') })
  replies = [calls(read), 'It has three lines.', 'Three, says the other.']
  await collect(kernel.use(Agent).run({ sessionId: session.id, text: 'how many?', surface: 'test' }))
  const before = kernel.use(Sessions).export(session.id)
  const result = before.events.find(({ type }) => type === 'tool.complete')?.seq ?? 0
  const { out, err, code } = await kernel.run(['fork', session.id, '--at', String(result), '--model', 'other-model'])
  expect({ out, code }, err).toEqual({ out: 'Three, says the other.\n', code: 0 })
  expect(server.requests.at(-1)?.body).toMatchObject({ model: 'other-model' })
  expect(kernel.use(Sessions).export(session.id)).toEqual(before)
  const { err: wrong } = await kernel.run(['fork', session.id, '--at', '9999'])
  expect(wrong).toMatch(/from 1 to \d+/)
})
