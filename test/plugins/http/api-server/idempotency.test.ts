import { mkdtempSync } from 'node:fs'
import { expect, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { openApi } from './desk.ts'

const body = { messages: [{ role: 'user', content: 'Order a pizza' }] }
const headers = { 'idempotency-key': 'order-1' }
const path = '/v1/chat/completions'

test('a request that is sent again gets the same reply, and the work is done once', async () => {
  const { ask, model } = await openApi(['Ordered.', 'Ordered again.'])
  const [first, second] = [await ask(path, { headers, body }), await ask(path, { headers, body })]
  expect(await second.text()).toBe(await first.text())
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(second.headers.get('x-svc-session-id')).toBe(first.headers.get('x-svc-session-id'))
  expect(model.requests).toHaveLength(1)
})

test('requests that come at the same time share one piece of work', async () => {
  const { ask, model } = await openApi(['Ordered.', 'Ordered again.'])
  const texts = await Promise.all([1, 2, 3].map(async () => (await ask(path, { headers, body })).text()))
  expect(new Set(texts).size).toBe(1)
  expect(model.requests).toHaveLength(1)
})

test('the reply is still there after a restart', async () => {
  const home = mkdtempSync('/tmp/svc-api-')
  const before = await openApi(['Ordered.'], { home })
  const first = await (await before.ask(path, { headers, body })).text()
  await before.kernel.stop()
  const after = await openApi(['Ordered again.'], { home })
  expect(await (await after.ask(path, { headers, body })).text()).toBe(first)
  expect(after.model.requests).toHaveLength(0)
  await after.kernel.stop()
  removeFolder(home)
})

test.for([['another body', { headers, body: { messages: [{ role: 'user', content: 'Order sushi' }] } }]] as const)(
  'the key does not serve for %s',
  async ([, request]) => {
    const { ask, read, model } = await openApi(['Ordered.'])
    await ask(path, { headers, body })
    const reply = await read(path, request)
    expect([reply.status, reply.body.error.code]).toEqual([422, 'idempotency_key_reused'])
    expect(model.requests).toHaveLength(1)
  },
)

test('holders of different session keys may choose the same idempotency key', async () => {
  const { read, model } = await openApi(['For Ann.', 'For Bob.'])
  const say = async (key: string) =>
    (await read(path, { headers: { ...headers, 'x-svc-session-key': key }, body })).body.choices[0].message.content
  expect([await say('ann'), await say('bob'), await say('ann')]).toEqual(['For Ann.', 'For Bob.', 'For Ann.'])
  expect(model.requests).toHaveLength(2)
})

test('what was refused has done nothing, so the key is free for another try', async () => {
  const { read } = await openApi(['Ordered.'])
  expect((await read(path, { headers, body: { messages: [] } })).status).toBe(400)
  expect((await read(path, { headers, body })).status).toBe(200)
})

test('a stream can be read again, and a client that left finds the end of it', async () => {
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { ask, model } = await openApi([{ gate, pieces: ['Or', 'dered.'] }, 'Ordered again.'])
  const leaving = new AbortController()
  const first = await ask(path, { headers, body: { ...body, stream: true }, signal: leaving.signal })
  await first.body?.getReader().read()
  leaving.abort()
  goOn()
  const text = await (await ask(path, { headers, body: { ...body, stream: true } })).text()
  expect(text).toContain('"content":"Or"')
  expect(text).toMatch(/data: \[DONE\]\n\n$/)
  expect(model.requests).toHaveLength(1)
})

test('a run is begun once', async () => {
  const { read } = await openApi(['Ordered.'])
  const begin = () => read('/v1/runs', { headers, body: { input: 'Order a pizza' } })
  const [first, second] = [await begin(), await begin()]
  expect(second.body.run_id).toBe(first.body.run_id)
})

test('a request that a crash cut off is not done again behind the back of its client', async () => {
  const home = mkdtempSync('/tmp/svc-api-')
  const before = await openApi([{ gate: new Promise(() => {}) }], { home })
  void before.ask(path, { headers, body }).catch(() => {})
  while (before.model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  // A copy of the files in the middle of the work is what a crash leaves.
  const copy = mkdtempSync('/tmp/svc-api-')
  const { cpSync } = await import('node:fs')
  cpSync(home, copy, { recursive: true })
  await before.kernel.stop()
  const after = await openApi(['Ordered again.'], { home: copy })
  const reply = await after.read(path, { headers, body })
  expect([reply.status, reply.body.error.code]).toEqual([409, 'idempotency_unfinished'])
  await after.kernel.stop()
  for (const dir of [home, copy]) removeFolder(dir)
})

test('a request that the end of the server cut off keeps its key: whether it took effect is unknown', async () => {
  const home = mkdtempSync('/tmp/svc-api-')
  const before = await openApi([{ gate: new Promise(() => {}) }], { home })
  const cut = before.ask(path, { headers, body }).catch(() => {})
  while (before.model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await before.kernel.stop()
  await cut
  const after = await openApi(['Ordered again.'], { home })
  const reply = await after.read(path, { headers, body })
  expect([reply.status, reply.body.error.code]).toEqual([409, 'idempotency_unfinished'])
  expect(after.model.requests).toHaveLength(0)
  await after.kernel.stop()
  removeFolder(home)
})

test('a key that is none is refused', async () => {
  const { read } = await openApi(['x'])
  const reply = await read(path, { headers: { 'idempotency-key': 'two words' }, body })
  expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_idempotency_key'])
})
