import { setTimeout as pause } from 'node:timers/promises'
import type { HttpApp, HttpSocketRoute } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { bearer, echoApp, KEY, openHttp, raw } from './desk.ts'

/** Says back what it hears, and ends at `bye`. */
const echo: HttpSocketRoute = {
  path: '/talk',
  maxBytes: 100,
  handle: async ({ messages, send }) => {
    for await (const text of messages) {
      if (text === 'bye') return
      if (text === 'fail') throw new Error('broken')
      await send(`you said ${text}`)
    }
  },
}

async function talk(app: Partial<HttpApp> = {}, options: { headers?: Record<string, string>; path?: string } = {}) {
  const { http } = await openHttp()
  const mounted = await http.mount(echoApp({ sockets: [echo], ...app }))
  const address = `${mounted.url.replace('http', 'ws')}${options.path ?? '/talk'}`
  const open = (headers = options.headers ?? bearer) => new WebSocket(address, { headers })
  return { mounted, open }
}

const opened = (socket: WebSocket) => new Promise((resolve) => socket.once('open', resolve))
const next = (socket: WebSocket) => new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))
const closed = (socket: WebSocket) =>
  new Promise((resolve) => socket.once('close', (code, reason) => resolve([code, String(reason)])))
const refused = (socket: WebSocket) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    socket.once('open', () => reject(new Error('it was opened')))
    socket.once('unexpected-response', (_request, response) => {
      let body = ''
      response.on('data', (data) => {
        body += String(data)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    socket.once('error', () => {})
  })

test('messages come in order, and the connection is closed when its handler is done', async () => {
  const { open } = await talk()
  const socket = open()
  await opened(socket)
  const heard: string[] = []
  socket.on('message', (data) => heard.push(String(data)))
  for (const text of ['one', 'two', 'bye']) socket.send(text)
  expect(await closed(socket)).toEqual([1000, ''])
  expect(heard).toEqual(['you said one', 'you said two'])
})

test('a handler that fails closes with 1011, and the server serves others', async () => {
  const { open } = await talk()
  const socket = open()
  await opened(socket)
  socket.send('fail')
  expect(await closed(socket)).toEqual([1011, ''])
  const other = open()
  await opened(other)
  other.send('hello')
  expect(await next(other)).toBe('you said hello')
})

test('the key, the origin and the host are checked before the upgrade', async () => {
  const { open } = await talk()
  expect(await refused(open({}))).toMatchObject({ status: 401 })
  expect(await refused(open({ authorization: 'Bearer wrong' }))).toMatchObject({
    status: 401,
    body: '{"error":"The key is missing or wrong."}',
  })
  expect(await refused(open({ ...bearer, origin: 'https://evil.example' }))).toMatchObject({ status: 403 })
  expect(await refused(open({ ...bearer, host: 'evil.example' }))).toMatchObject({ status: 421 })
})

test('a path that has no WebSocket answers as if nothing had been asked', async () => {
  const { mounted, open } = await talk({}, { path: '/health' })
  expect(await refused(open())).toMatchObject({ status: 200, body: '{"ok":true}' })
  expect((await fetch(`${mounted.url}/talk`, { headers: bearer })).status).toBe(404)
})

test('a request that offers HTTP/2 is answered in HTTP/1.1', async () => {
  const { mounted } = await talk()
  const head = `POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 5\r\n`
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\nhello'
  const { text } = await raw(mounted.port, [head + offer], '"body"')
  expect(text).toMatch(/^HTTP\/1\.1 200 /)
  expect(text).toContain('"body":"hello"')
})

test('a malformed handshake is refused', async () => {
  const { mounted } = await talk()
  const head = `GET /talk HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\n`
  const { text, ended } = await raw(mounted.port, [`${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`])
  expect(ended).toBe(true)
  expect(text).toMatch(/^HTTP\/1\.1 400 /)
  expect(text).toContain('handshake')
})

test('long messages, binary ones and too many at once close the connection', async () => {
  const { open } = await talk()
  const cases: [(socket: WebSocket) => void, number][] = [
    [(socket) => socket.send('x'.repeat(101)), 1009],
    [(socket) => socket.send(Buffer.from('x')), 1003],
  ]
  for (const [act, code] of cases) {
    const socket = open()
    await opened(socket)
    act(socket)
    expect(await closed(socket)).toEqual([code, expect.any(String)])
  }
  const deaf = await talk({
    sockets: [
      { ...echo, handle: ({ request }) => new Promise((end) => request.signal.addEventListener('abort', () => end())) },
    ],
  })
  const socket = deaf.open()
  await opened(socket)
  for (let count = 0; count < 70; count++) socket.send('x')
  expect(await closed(socket)).toEqual([1008, 'too many messages wait'])
})

test('the handler learns that its client is gone, and that its app is withdrawn', async () => {
  const ends: string[] = []
  const handle: HttpSocketRoute['handle'] = async ({ messages, request }) => {
    for await (const _ of messages) void _
    ends.push(request.signal.aborted ? 'gone' : 'open')
  }
  const { mounted, open } = await talk({ sockets: [{ path: '/talk', handle }] })
  const first = open()
  await opened(first)
  first.terminate()
  while (ends.length < 1) await pause(5)
  const second = open()
  await opened(second)
  const farewell = closed(second)
  await mounted.close()
  expect(await farewell).toEqual([1001, ''])
  expect(ends).toEqual(['gone', 'gone'])
})

test('no one may open a WebSocket without a key where others can reach it', async () => {
  const { http } = await openHttp()
  const open = echoApp({ host: '0.0.0.0', routes: [], sockets: [{ ...echo, lock: { kind: 'public' } }] })
  await expect(http.mount(open)).rejects.toMatchObject({ code: 'HTTP_OPEN_DOOR' })
})

test('a ticket in the address opens one connection, and none when it is spent', async () => {
  const tickets = new Set(['t1'])
  const lock = {
    kind: 'credential' as const,
    check: async ({ query }: { query: URLSearchParams }) => tickets.delete(query.get('ticket') ?? ''),
    isSet: () => true,
  }
  const { open } = await talk({ lock }, { path: '/talk?ticket=t1' })
  const first = open({})
  await opened(first)
  const reply = next(first)
  first.send('hello')
  expect(await reply).toBe('you said hello')
  expect(await refused(open({}))).toMatchObject({ status: 401 })
  first.close()
})
