/** Pages that lose their connection, are reloaded, or are open twice: each event once, in order, and each message once. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { Sessions } from 'svc/sdk'
import { fakeProvider, type ScriptedReply } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { heldStorage } from '../../agent/agent/held-storage.ts'
import { openTestKernel } from './desk.ts'
import { connect, type Event } from './page.ts'

async function openChat(replies: readonly ScriptedReply[], home?: string, more: readonly InlinePlugin[] = []) {
  const model = fakeProvider(replies)
  const desk = await openTestKernel({
    ...(home && { home }),
    plugins: ['agent', 'conversation', 'session-commands', 'tool-clarify'],
    with: [model.plugin, ...more],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  return { desk, model }
}

test('a page whose network is cut again and again during a turn has each event once, and the turn goes on', async () => {
  const pieces = Array.from({ length: 300 }, (_, at) => `${at} `)
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const { desk } = await openChat([
    { pieces: pieces.slice(0, 100), calls: [{ name: 'nothing', input: {} }] },
    { gate, pieces },
  ])
  onTestFinished(() => desk.kernel.stop())
  let page = await connect(desk)
  const { session_id, session_key } = await page.call('session.create')
  await page.call('prompt.submit', { session_id, text: 'count', key: 'one' })
  const seen: Event[] = []
  for (let cut = 0; cut < 20; cut++) {
    page.cut()
    seen.push(...page.events)
    if (cut === 10) go()
    const after = Math.max(0, ...seen.map(({ payload }) => Number(payload['seq'] ?? 0)))
    page = await connect(desk)
    const resumed = await page.call('session.resume', { session_id: session_key, after })
    expect(resumed.session_id).toBe(session_id)
    expect(resumed.messages).toEqual([])
  }
  await expect
    .poll(() => page.count('message.complete') + seen.filter(({ type }) => type === 'message.complete').length)
    .toBe(1)
  seen.push(...page.events)
  const places = seen.flatMap(({ payload }) => (typeof payload['seq'] === 'number' ? [payload['seq']] : []))
  expect(places).toEqual([...new Set(places)].sort((one, two) => one - two))
  const text = seen.flatMap(({ type, payload }) => (type === 'message.delta' ? [payload['text']] : [])).join('')
  expect(text).toBe(pieces.slice(0, 100).join('') + pieces.join(''))
  expect(seen.find(({ type }) => type === 'message.complete')?.payload['text']).toBe(pieces.join(''))
  expect(seen.filter(({ type }) => type === 'message.start')).toHaveLength(1)
})

test('a page that is reloaded during a turn gets the messages before it, and the turn from its start', async () => {
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const { desk } = await openChat([
    'First.',
    { text: 'I look.', calls: [{ name: 'nothing', input: {} }] },
    { gate, text: 'Second.' },
  ])
  onTestFinished(() => desk.kernel.stop())
  const before = await connect(desk)
  const { session_id, session_key } = await before.call('session.create')
  await before.call('prompt.submit', { session_id, text: 'one' })
  await expect.poll(() => before.count('message.complete')).toBe(1)
  await before.call('prompt.submit', { session_id, text: 'two' })
  await expect.poll(() => before.count('tool.complete')).toBe(1)
  before.cut()
  const page = await connect(desk)
  const { messages, running } = await page.call('session.resume', { session_id: session_key })
  expect(running).toBe(true)
  expect(messages.map(({ text }: { text: string }) => text)).toEqual(['one', 'First.', 'two'])
  await expect.poll(() => page.count('tool.complete')).toBe(1)
  expect(page.count('message.start')).toBe(1)
  go()
  await expect.poll(() => page.count('message.complete')).toBe(1)
  expect(page.text).toBe('I look.Second.')
})

test('two windows show one session: both hear of a turn, a question is asked in both, and the first answer counts', async () => {
  const { desk } = await openChat([
    { calls: [{ name: 'clarify', input: { question: 'Red or blue?', choices: ['red', 'blue'] } }] },
    'Blue it is.',
  ])
  onTestFinished(() => desk.kernel.stop())
  const one = await connect(desk)
  const { session_id, session_key } = await one.call('session.create')
  await one.call('prompt.submit', { session_id, text: 'paint' })
  await expect.poll(() => one.count('clarify.request')).toBe(1)
  const two = await connect(desk)
  expect((await two.call('session.resume', { session_id: session_key })).session_id).toBe(session_id)
  await expect.poll(() => two.count('clarify.request')).toBe(1)
  const request_id = two.events.find(({ type }) => type === 'clarify.request')?.payload['request_id']
  expect(await two.call('clarify.respond', { request_id, answer: 'blue' })).toEqual({ status: 'ok' })
  await expect(one.call('clarify.respond', { request_id, answer: 'red' })).rejects.toMatchObject({
    error: { code: 4009 },
  })
  for (const page of [one, two]) await expect.poll(() => page.count('message.complete')).toBe(1)
  expect(one.events.find(({ type }) => type === 'clarify.answered')?.payload['answer']).toBe('blue')
  one.cut()
  await two.call('prompt.submit', { session_id, text: 'and now?' })
  await expect.poll(() => two.count('message.complete')).toBe(2)
})

test('a message with a key is said once, also when it is sent again after the server was started again', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-resume-'))
  const first = await openChat(['Done.'], home)
  const page = await connect(first.desk)
  const { session_id, session_key } = await page.call('session.create')
  await page.call('prompt.submit', { session_id, text: 'once', key: 'k1' })
  expect(await page.call('prompt.submit', { session_id, text: 'once', key: 'k1' })).toEqual({
    status: 'known',
    state: 'recorded',
  })
  await expect.poll(() => page.count('message.complete')).toBe(1)
  const { cursor } = page
  await first.desk.kernel.stop()
  const second = await openChat(['Again.'], home)
  onTestFinished(() => second.desk.kernel.stop())
  const later = await connect(second.desk)
  const resumed = await later.call('session.resume', { session_id: session_key, after: cursor })
  expect(await later.call('prompt.submit', { session_id: resumed.session_id, text: 'once', key: 'k1' })).toEqual({
    status: 'known',
    state: 'recorded',
  })
  await later.call('prompt.submit', { session_id: resumed.session_id, text: 'other', key: 'k2' })
  await expect.poll(() => later.count('message.complete')).toBe(1)
  expect(second.model.requests).toHaveLength(1)
  expect(later.events.every(({ payload }) => payload['seq'] === undefined || Number(payload['seq']) > cursor)).toBe(
    true,
  )
})

test('a page that comes while events are stored and not shown yet has each of them once, and none before it is stored', async () => {
  const storage = heldStorage()
  const { desk } = await openChat([{ pieces: ['One ', 'two ', 'three.'] }], undefined, [storage.plugin])
  onTestFinished(() => desk.kernel.stop())
  onTestFinished(() => storage.release())
  const first = await connect(desk)
  const { session_id, session_key } = await first.call('session.create')
  storage.hold('committed')
  await first.call('prompt.submit', { session_id, text: 'count', key: 'one' })
  const recorded = () => desk.kernel.use(Sessions).open(session_key).events().at(-1)?.type
  await expect.poll(recorded).toBe('turn.start')
  const second = await connect(desk)
  await second.call('session.resume', { session_id: session_key, after: 0 })
  // Requests are answered in order, so the replay would have come before.
  const later = second.call('session.usage', { session_id })
  for (let each = 0; each < 3; each++) await second.call('rpc.ping')
  expect(second.events).toEqual([])
  storage.release()
  await later
  for (const page of [first, second]) {
    await expect.poll(() => page.count('message.complete')).toBe(1)
    expect(page.count('message.start')).toBe(1)
    expect(page.text).toBe('One two three.')
    const places = page.events.flatMap(({ payload }) => (typeof payload['seq'] === 'number' ? [payload['seq']] : []))
    expect(places).toEqual([...new Set(places)].sort((one, two) => one - two))
  }
})

test('a text that was added to a running turn is said once, also when it is sent again after a restart', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-resume-'))
  let go = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const first = await openChat([{ gate, text: 'Begun.' }, 'Both.'], home)
  const page = await connect(first.desk)
  const { session_id, session_key } = await page.call('session.create')
  await page.call('prompt.submit', { session_id, text: 'begin', key: 'k1' })
  await expect.poll(() => page.count('message.start')).toBe(1)
  const more = { session_id, text: 'and more', key: 'k2', when_busy: 'steer' }
  expect(await page.call('prompt.submit', more)).toEqual({ status: 'steered' })
  expect(await page.call('prompt.submit', more)).toEqual({ status: 'known', state: 'waiting' })
  go()
  await expect.poll(() => page.count('message.complete')).toBe(1)
  expect(page.events.find(({ type, payload }) => type === 'status.update' && payload['keys'])?.payload).toMatchObject({
    kind: 'steer',
    keys: ['k2'],
  })
  await first.desk.kernel.stop()
  const second = await openChat(['Again.'], home)
  onTestFinished(() => second.desk.kernel.stop())
  const later = await connect(second.desk)
  const resumed = await later.call('session.resume', { session_id: session_key, keys: ['k1', 'k2', 'k3'] })
  expect(resumed.taken).toEqual({ k1: 'recorded', k2: 'recorded' })
  expect(await later.call('prompt.submit', { ...more, session_id: resumed.session_id })).toEqual({
    status: 'known',
    state: 'recorded',
  })
  expect(second.model.requests).toHaveLength(0)
})

test('a text that was added to a turn that is stopped is taken when it is sent again, and one that waited is dropped', async () => {
  const { desk } = await openChat([{ gate: new Promise(() => {}), text: 'Never.' }, 'Later.'])
  onTestFinished(() => desk.kernel.stop())
  const page = await connect(desk)
  const { session_id } = await page.call('session.create')
  await page.call('prompt.submit', { session_id, text: 'begin', key: 'k1' })
  await expect.poll(() => page.count('message.start')).toBe(1)
  await page.call('prompt.submit', { session_id, text: 'added', key: 'k2', when_busy: 'steer' })
  await page.call('prompt.submit', { session_id, text: 'queued', key: 'k3', when_busy: 'queue' })
  expect(await page.call('session.interrupt', { session_id })).toEqual({ status: 'interrupted' })
  await expect.poll(() => page.count('message.complete')).toBe(1)
  const send = (key: string) => page.call('prompt.submit', { session_id, text: key, key })
  await expect.poll(() => send('k3')).toEqual({ status: 'known', state: 'dropped' })
  expect(await send('k2')).toEqual({ status: 'streaming' })
  await expect.poll(() => page.count('message.start')).toBe(2)
})

test('a command with a key runs once, also when it is sent again after a restart', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-resume-'))
  const first = await openChat(['Done.'], home)
  const page = await connect(first.desk)
  const { session_id, session_key } = await page.call('session.create')
  await page.call('prompt.submit', { session_id, text: 'one', key: 'k1' })
  await expect.poll(() => page.count('message.complete')).toBe(1)
  const undo = { session_id, command: '/undo now', key: 'c1' }
  const [one, two] = await Promise.all([page.call('slash.exec', undo), page.call('slash.exec', undo)])
  expect(one.output).not.toBe('')
  expect(two).toEqual(one)
  await first.desk.kernel.stop()
  const second = await openChat([], home)
  onTestFinished(() => second.desk.kernel.stop())
  const later = await connect(second.desk)
  const resumed = await later.call('session.resume', { session_id: session_key })
  expect(await later.call('slash.exec', { ...undo, session_id: resumed.session_id })).toEqual({
    output: '',
    status: 'known',
  })
})

test('a page whose place is not in the journal any more gets the messages, and why the last turn failed', async () => {
  const { desk } = await openChat([])
  onTestFinished(() => desk.kernel.stop())
  const page = await connect(desk)
  const { session_id, session_key } = await page.call('session.create', { provider: 'missing', model: 'none' })
  await page.call('prompt.submit', { session_id, text: 'one', key: 'k1' })
  await expect.poll(() => page.count('message.complete')).toBe(1)
  const again = await page.call('session.resume', { session_id: session_key, after: 1_000_000 })
  expect(again.resumed).toBeUndefined()
  expect(again.messages.map(({ text }: { text: string }) => text)).toEqual(['one'])
  expect(again.failure).toEqual({ code: expect.any(String), message: expect.any(String) })
  expect(again.cursor).toBe(page.cursor)
})

test('a page that was away over the beginning of another turn gets the messages, since the texts of the earlier one are gone', async () => {
  const { desk } = await openChat([{ pieces: ['One ', 'two.'] }, 'Three.'])
  onTestFinished(() => desk.kernel.stop())
  const page = await connect(desk)
  const { session_id, session_key } = await page.call('session.create')
  await page.call('prompt.submit', { session_id, text: 'first', key: 'k1' })
  await expect.poll(() => page.count('message.complete')).toBe(1)
  const [start] = page.events.filter(({ type }) => type === 'message.start')
  const after = Number(start?.payload['seq'])
  const during = await (await connect(desk)).call('session.resume', { session_id: session_key, after })
  expect(during).toMatchObject({ resumed: true, messages: [], cursor: after })
  await page.call('prompt.submit', { session_id, text: 'second', key: 'k2' })
  await expect.poll(() => page.count('message.complete')).toBe(2)
  const later = await (await connect(desk)).call('session.resume', { session_id: session_key, after })
  expect(later.resumed).toBeUndefined()
  expect(later.messages.map(({ text }: { text: string }) => text)).toEqual(['first', 'One two.', 'second', 'Three.'])
  expect(later.cursor).toBe(page.cursor)
})
