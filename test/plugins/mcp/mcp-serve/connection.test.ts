import { Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { echo, served, startClient } from './client.ts'

test('a client that asks for it is told the steps of a turn', async () => {
  const { client } = await startClient([{ calls: [{ name: 'echo', input: { text: 'hi' } }] }, 'Done.'], {
    kernel: served(echo),
  })
  const told: string[] = []
  const chat = { name: 'chat', arguments: { message: 'go' } }
  await client.callTool(chat, undefined, { onprogress: ({ message = '' }) => void told.push(message) })
  expect(told).toEqual(['echo hi'])
})

test('a call that is cancelled stops its turn, and the next one is served', async () => {
  const { client, call, model, kernel } = await startClient((_request, at) =>
    at === 0 ? { gate: new Promise(() => {}), text: 'never' } : 'Here.',
  )
  const stop = new AbortController()
  const asked = client.callTool({ name: 'chat', arguments: { message: 'go' } }, undefined, { signal: stop.signal })
  await expect.poll(() => model.requests.length).toBe(1)
  stop.abort()
  await expect(asked).rejects.toThrow()
  expect((await call('chat', { message: 'are you there?' })).text).toBe('Here.')
  const stopped = kernel
    .use(Sessions)
    .list()
    .find(({ title }) => title === 'go')
  expect(
    kernel
      .use(Sessions)
      .open(stopped?.id ?? '')
      .events()
      .at(-1),
  ).toMatchObject({ reason: 'interrupted' })
})

test('bad lines of a client are answered one by one, and the next request is served', async () => {
  const { line, raw, client } = await startClient(['x'])
  const before = raw.length
  await line('this is not json')
  await line('')
  await line('{"jsonrpc":"1.0","id":1,"method":"ping"}')
  await line(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(17 * 2 ** 20) }))
  await expect.poll(() => raw.length - before).toBe(3)
  expect(raw.slice(before).map((message) => ('error' in message ? message.error.code : 0))).toEqual([
    -32700, -32600, -32600,
  ])
  await client.ping()
  await line('{"jsonrpc":"2.0","id":"x","method":"resources/burn"}')
  await expect.poll(() => raw.at(-1)).toMatchObject({ id: 'x', error: { code: -32601 } })
})

test('a client that is gone cancels its calls, and svc ends', async () => {
  const { client, model, hangUp, ended } = await startClient([{ gate: new Promise(() => {}), text: 'never' }])
  client.callTool({ name: 'chat', arguments: { message: 'go' } }).catch(() => {})
  await expect.poll(() => model.requests.length).toBe(1)
  await hangUp()
  expect(await ended).toBe(0)
})

test('svc that is told to stop cancels the calls of its client', async () => {
  const { client, model, stop, ended } = await startClient([{ gate: new Promise(() => {}), text: 'never' }])
  client.callTool({ name: 'chat', arguments: { message: 'go' } }).catch(() => {})
  await expect.poll(() => model.requests.length).toBe(1)
  stop()
  expect(await ended).toBe(0)
})
