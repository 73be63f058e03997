/** What is kept, for how long, and for whom. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, Sessions } from 'svc/sdk'
import { Storage } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { eventStreamResponse, type HttpRequest } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'
import { Idempotency } from '../../../../plugins/http/api-server/idempotency.ts'
import { ApiStore } from '../../../../plugins/http/api-server/store.ts'
import { drainingGateway } from '../../../support/draining-gateway.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openApi } from './desk.ts'

const log: Logger = { debug() {}, info() {}, warn() {}, error() {} }

async function openStore(): Promise<ApiStore> {
  const kernel = await testKernel({ plugins: ['storage'] })
  const store = new ApiStore(() => kernel.use(Storage), join(kernel.home, 'api.db'), log)
  onTestFinished(async () => {
    await store.close()
    await kernel.stop()
  })
  return store
}

test('a response that someone looked at stays, and one that no one looked at gives way', async () => {
  const store = await openStore()
  const put = (at: number) => {
    const response = { id: `r${at}`, sessionId: 's', seq: 1, data: '{}' }
    store.putResponse('', response, '[]', at)
    store.endResponse('', { ...response, name: undefined, texts: new Map() }, at)
  }
  for (let at = 0; at < 100; at++) put(at)
  expect(store.response('', 'r0', 100)?.id).toBe('r0')
  put(101)
  expect([store.response('', 'r0', 102)?.id, store.response('', 'r1', 102)?.id]).toEqual(['r0', undefined])
})

test('a run that works for longer than an hour is not forgotten, one that is over is', async () => {
  const store = await openStore()
  const [hour, now] = [3_600_000, 10 * 3_600_000]
  store.putRun({ id: 'works', isOver: false, data: '"works"' }, { now: 0, oldest: -hour })
  store.putRun({ id: 'over', isOver: true, data: '"over"' }, { now: 0, oldest: -hour })
  store.putRun({ id: 'new', isOver: false, data: '"new"' }, { now, oldest: now - hour })
  expect([store.run('works'), store.run('over')]).toEqual(['"works"', undefined])
  expect(store.openRuns()).toEqual(['"works"', '"new"'])
})

test('a reply is kept for a day and no longer; a refusal is not kept, work that failed is', async () => {
  const clock = virtualClock()
  const signal = new AbortController().signal
  const once = new Idempotency({ store: await openStore(), clock: () => clock, log, signal, hold: () => undefined })
  let count = 0
  const send = async (key: string, status: number) => {
    const request = { method: 'POST', url: '/x', headers: { 'idempotency-key': key }, body: Buffer.from('{}'), signal }
    const reply = await once.once(request as unknown as HttpRequest, async () => ({ status, body: `${++count}` }))
    await once.settled()
    return reply.body
  }
  expect([await send('refused', 400), await send('refused', 400)]).toEqual(['1', '2'])
  expect([await send('failed', 502), await send('failed', 502)]).toEqual(['3', '3'])
  expect(await send('done', 200)).toBe('4')
  await clock.advance(86_000_000)
  expect(await send('done', 200)).toBe('4')
  await clock.advance(500_000)
  expect(await send('done', 200)).toBe('5')
})

test('one idempotency key does not serve for two sessions that are named', async () => {
  const { ask } = await openApi(['One.', 'Two.'])
  const say = async (headers: Record<string, string>) =>
    ask('/v1/chat/completions', { headers, body: { messages: [{ role: 'user', content: 'a' }] } })
  const [one, two] = [await say({}), await say({})].map(({ headers }) => headers.get('x-svc-session-id') ?? '')
  const key = { 'idempotency-key': 'k' }
  expect((await say({ ...key, 'x-svc-session-id': one ?? '' })).status).toBe(200)
  expect((await say({ ...key, 'x-svc-session-id': two ?? '' })).status).toBe(422)
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const picture = (ending: string) => {
  const data = Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.from(ending)]).toString('base64')
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }
}

test.for([
  ['another picture', [{ role: 'user', content: [{ type: 'text', text: 'a' }, picture('BBBB')] }]],
  [
    'other instructions',
    [
      { role: 'system', content: 'Rhyme.' },
      { role: 'user', content: [{ type: 'text', text: 'a' }, picture('AAAA')] },
    ],
  ],
] as const)('the same words with %s are another conversation', async ([, begun]) => {
  const { ask, kernel } = await openApi(['One.', 'Two.'])
  const chat = (messages: readonly object[]) => ask('/v1/chat/completions', { body: { messages } })
  const first = [{ role: 'user', content: [{ type: 'text', text: 'a' }, picture('AAAA')] }]
  expect((await chat(first)).status).toBe(200)
  await chat([...begun, { role: 'assistant', content: 'One.' }, { role: 'user', content: 'b' }])
  expect(kernel.use(Sessions).list()).toHaveLength(2)
})

test('a branch in the middle of a chain keeps the instructions', async () => {
  const { read, model } = await openApi(['1', '2', '3'])
  const say = async (input: string, more: object) => (await read('/v1/responses', { body: { input, ...more } })).body.id
  const one = await say('a', { instructions: 'Rhyme.' })
  await say('b', { previous_response_id: one })
  await say('c', { previous_response_id: one })
  expect(model.requests.at(-1)?.messages[0]?.text).toContain('Rhyme.')
})

test('instructions that come later in a session that began without any are heard', async () => {
  const { ask, model } = await openApi(['1', '2', '3'])
  const say = async (headers: Record<string, string>, ...messages: object[]) => {
    const response = await ask('/v1/chat/completions', { headers, body: { messages } })
    return { 'x-svc-session-id': response.headers.get('x-svc-session-id') ?? '' }
  }
  const user = { role: 'user', content: 'a' }
  const session = await say({}, user)
  await say(session, { role: 'system', content: 'Rhyme.' }, user)
  expect(model.requests.at(-1)?.messages[0]?.text).toContain('Rhyme.')
})

test('the name of a chain does not lead to a response that is still being written', async () => {
  const { ask, read } = await openApi([{ gate: new Promise(() => {}) }, 'Two.'])
  const leaving = new AbortController()
  const body = { input: 'a', conversation: 'trip' }
  const stream = await ask('/v1/responses', { body: { ...body, stream: true }, signal: leaving.signal })
  await stream.body?.getReader().read()
  expect((await read('/v1/responses', { body })).status).toBe(200)
  leaving.abort()
})

test('no work is begun while the gateway is being stopped', async () => {
  const { read, model } = await openApi(['x'], { with: [drainingGateway(() => true)] })
  const reply = await read('/v1/runs', { body: { input: 'a' } })
  expect([reply.status, reply.body.error.code]).toEqual([503, 'gateway_draining'])
  expect(model.requests).toEqual([])
})

test('a key that was taken back in .env opens nothing any more', async () => {
  const home = temporaryFolder()
  const [old, now] = ['correct-horse-battery-staple', 'another-horse-battery-staple']
  writeFileSync(join(home, '.env'), `API_SERVER_KEY=${old}\n`, { mode: 0o600 })
  const { ask, kernel } = await openApi(['x'], { home, env: { API_SERVER_KEY: '' } })
  expect((await ask('/api/sessions')).status).toBe(200)
  writeFileSync(join(home, '.env'), `API_SERVER_KEY=${now}\n`, { mode: 0o600 })
  await kernel.applyConfig()
  expect((await ask('/api/sessions')).status).toBe(401)
  expect((await ask('/api/sessions', { headers: { authorization: `Bearer ${now}` } })).status).toBe(200)
})

test('a stream in which nothing happens for half a minute says that it lives', async () => {
  const clock = virtualClock()
  async function* never(): AsyncGenerator<string> {
    await new Promise(() => {})
  }
  const pieces = (eventStreamResponse(never(), clock).body as AsyncIterable<string>)[Symbol.asyncIterator]()
  let said: unknown
  void pieces.next().then(({ value }) => {
    said = value
  })
  await clock.advance(30_000)
  expect(said).toBe(': keepalive\n\n')
})

test('a client cannot have files of the server as pictures', async () => {
  const file = join(temporaryFolder(), 'mine.png')
  writeFileSync(file, Buffer.from(PNG, 'base64'))
  const { read, model } = await openApi(['x'], { plugins: ['media'] })
  for (const url of [file, `file://${file}`]) {
    const content = [{ type: 'image_url', image_url: { url } }]
    const reply = await read('/v1/chat/completions', { body: { messages: [{ role: 'user', content }] } })
    expect([reply.status, reply.body.error.message]).toEqual([
      400,
      expect.stringContaining('neither an http(s) address'),
    ])
  }
  expect(model.requests).toEqual([])
})

test('an answer that the output limit cut says so where clients look', async () => {
  const { read } = await openApi([{ text: 'Half of it', end: 'length' }])
  const { body } = await read('/v1/chat/completions', { body: { messages: [{ role: 'user', content: 'a' }] } })
  expect(body.choices[0].finish_reason).toBe('length')
})

test('a conversation whose session was removed begins a new one', async () => {
  const { ask, kernel } = await openApi(['One.', 'Two.'])
  const messages = [{ role: 'user', content: 'a' }]
  const first = await ask('/v1/chat/completions', { body: { messages } })
  await kernel.use(Sessions).remove([first.headers.get('x-svc-session-id') ?? ''])
  const replayed = [...messages, { role: 'assistant', content: 'One.' }, { role: 'user', content: 'b' }]
  expect((await ask('/v1/chat/completions', { body: { messages: replayed } })).status).toBe(200)
})
