import http from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { NetResponse, SvcError } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { HttpClient } from '../../program/net.ts'

/** A real server on loopback; the number of connections it has had. */
async function serve(handle: http.RequestListener) {
  const sockets = new Set<Socket>()
  const server = http.createServer(handle)
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, connections: () => connections, cutAll: () => sockets.forEach((socket) => void socket.destroy()) }
}

function open() {
  const clock = virtualClock()
  const net = new HttpClient(clock)
  onTestFinished(() => net.close())
  return { net, clock }
}

/** Pieces of a body as text, up to the error that ended it. */
async function read({ body }: NetResponse) {
  const pieces: string[] = []
  try {
    for await (const piece of body) pieces.push(Buffer.from(piece).toString())
    return { pieces, error: undefined }
  } catch (error) {
    return { pieces, error: error as SvcError }
  }
}

test('method, headers and body go out as given, status, headers and text come back', async () => {
  const { url } = await serve((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method, headers } = request
      const body = Buffer.concat(parts).toString()
      response.writeHead(201, { 'x-many': ['a', 'b'], 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ method, path: request.url, key: headers['x-key'], length: headers['content-length'], body }),
      )
    })
  })
  const { net } = open()
  const answer = await net.request({ url: `${url}a?b=1`, method: 'PUT', headers: { 'x-key': 'k' }, body: 'größe' })
  expect([answer.status, answer.headers['x-many']]).toEqual([201, 'a, b'])
  expect(JSON.parse(await answer.text())).toEqual({
    method: 'PUT',
    path: '/a?b=1',
    key: 'k',
    length: '7',
    body: 'größe',
  })
})

test('one connection serves one request after the other, as long as bodies are read', async () => {
  const { url, connections } = await serve((_request, response) => response.end('x'))
  const { net } = open()
  for (let n = 0; n < 5; n++) await (await net.request({ url })).text()
  expect(connections()).toBe(1)
})

test('requests at once have their own connections', async () => {
  const { url, connections } = await serve((_request, response) => response.end('x'))
  const { net } = open()
  await Promise.all([1, 2, 3].map(async () => (await net.request({ url })).text()))
  expect(connections()).toBe(3)
})

test('a kept connection that the server has closed is replaced without anyone noticing', async () => {
  const { url, connections, cutAll } = await serve((_request, response) => response.end('x'))
  const { net } = open()
  await Promise.all([1, 2, 3].map(async () => (await net.request({ url })).text()))
  cutAll()
  const answers = await Promise.all([1, 2, 3].map(async () => (await net.request({ url, method: 'POST' })).text()))
  expect(answers).toEqual(['x', 'x', 'x'])
  expect(connections()).toBeGreaterThan(3)
})

test('a stream comes piece by piece as it arrives', async () => {
  let answer: http.ServerResponse | undefined
  const { url } = await serve((_request, response) => {
    answer = response
    response.write('first')
  })
  const { net } = open()
  const response = await net.request({ url })
  const pieces = response.body[Symbol.asyncIterator]()
  expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe('first')
  answer?.end('second')
  expect(Buffer.from((await pieces.next()).value as Uint8Array).toString()).toBe('second')
  expect((await pieces.next()).done).toBe(true)
})

test('no answer in time is a timeout, and the connection is given up', async () => {
  const closed = vi.fn()
  const { url } = await serve((request) => request.on('close', closed))
  const { net, clock } = open()
  const asked = vi.fn()
  const request = net.request({ url, timeoutMs: 5000 }).catch((error: unknown) => error)
  request.then(asked)
  await clock.advance(4999)
  expect(asked).not.toHaveBeenCalled()
  await clock.advance(1)
  expect(await request).toMatchObject({ code: 'NET_TIMEOUT', message: expect.stringContaining('within 5 s') })
  expect(clock.pending()).toBe(0)
})

test('a body that falls silent stalls, but one that drips does not', async () => {
  let answer: http.ServerResponse | undefined
  const { url } = await serve((_request, response) => {
    answer = response
    response.write('.')
  })
  const { net, clock } = open()
  const response = await net.request({ url, idleMs: 1000 })
  const pieces = response.body[Symbol.asyncIterator]()
  for (let n = 0; n < 4; n++) {
    expect((await pieces.next()).value).toEqual(Buffer.from('.'))
    await clock.advance(900)
    answer?.write('.')
  }
  await pieces.next()
  const silent = expect(pieces.next()).rejects.toMatchObject({ code: 'NET_STALLED', message: /nothing for 1 s/ })
  await clock.advance(1000)
  await silent
  expect(clock.pending()).toBe(0)
})

test('an answer that no one reads ends when it stalls, and breaks nothing', async () => {
  const { url } = await serve((_request, response) => response.write('.'))
  const { net, clock } = open()
  const response = await net.request({ url, idleMs: 1000 })
  await clock.advance(1000)
  await new Promise((resolve) => setImmediate(resolve))
  expect((await read(response)).error).toMatchObject({ code: 'NET_STALLED' })
  expect(clock.pending()).toBe(0)
})

test('an answer that is cut is an error, never a short answer', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half')
    setImmediate(() => response.destroy())
  })
  const { net } = open()
  const { pieces, error } = await read(await net.request({ url }))
  expect(pieces).toEqual(['half'])
  expect(error).toMatchObject({ code: 'NET_CLOSED' })
  await expect(net.request({ url }).then((response) => response.text())).rejects.toMatchObject({ code: 'NET_CLOSED' })
})

test('a chunked answer that is cut is an error too', async () => {
  const { url } = await serve((_request, response) => {
    response.write('half')
    setImmediate(() => response.destroy())
  })
  const { net } = open()
  expect((await read(await net.request({ url }))).error).toMatchObject({ code: 'NET_CLOSED' })
})

test('a server that hangs up without an answer may have done what it was asked', async () => {
  const { url } = await serve((request) => request.destroy())
  const { net } = open()
  await expect(net.request({ url })).rejects.toMatchObject({ code: 'NET_CLOSED', status: 502 })
})

test('what listens but speaks no HTTP is said not to', async () => {
  const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void server.close())
  const { net } = open()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await expect(net.request({ url })).rejects.toMatchObject({ code: 'NET_CLOSED', message: /does not answer in HTTP/ })
})

test('what must not be done twice has its own connection, and is never repeated by itself', async () => {
  const asked: string[] = []
  const ports = new Set<number | undefined>()
  const { url } = await serve((request, response) => {
    asked.push(request.method ?? '')
    ports.add(request.socket.remotePort)
    if (request.method === 'POST') request.destroy()
    else response.end('ok')
  })
  const { net } = open()
  await (await net.request({ url })).text()
  await expect(net.request({ url, method: 'POST', once: true })).rejects.toMatchObject({ code: 'NET_CLOSED' })
  expect(asked).toEqual(['GET', 'POST'])
  expect(ports.size).toBe(2)
})

test('where nothing listens, it is said so', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  const { net, clock } = open()
  await expect(net.request({ url: `http://127.0.0.1:${port}/v1` })).rejects.toMatchObject({
    code: 'NET_UNREACHABLE',
    message: `http://127.0.0.1:${port} cannot be reached: nothing listens there.`,
  })
  expect(clock.pending()).toBe(0)
})

test.for(['', 'localhost:80', 'not an address', 'ftp://host/', 'file:///etc/passwd', '/v1'])(
  '%j is no address',
  async (url) => {
    const { net } = open()
    await expect(net.request({ url })).rejects.toMatchObject({ code: 'NET_UNREACHABLE', message: /http:\/\// })
  },
)

test('an abort before the request, before the answer and in the middle of it ends with its reason', async () => {
  const { url } = await serve((request, response) => {
    if (request.url === '/stream') response.write('.')
  })
  const { net, clock } = open()
  const early = new AbortController()
  early.abort(new Error('too late'))
  await expect(net.request({ url, signal: early.signal })).rejects.toThrow('too late')

  const waiting = new AbortController()
  const request = net.request({ url, signal: waiting.signal })
  waiting.abort(new Error('changed my mind'))
  await expect(request).rejects.toThrow('changed my mind')

  const during = new AbortController()
  const reading = read(await net.request({ url: `${url}stream`, signal: during.signal }))
  during.abort(new Error('heard enough'))
  expect((await reading).error?.message).toBe('heard enough')
  expect(clock.pending()).toBe(0)
})

test('a signal that lives longer than its requests is not listened to any more', async () => {
  const { url } = await serve((_request, response) => response.end('x'))
  const { net } = open()
  const { signal } = new AbortController()
  const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
  for (let n = 0; n < 3; n++) await (await net.request({ url, signal })).text()
  await vi.waitFor(() => expect(removed.mock.calls.length).toBe(added.mock.calls.length))
})

test('a text that is too long is refused, and no memory is spent on the rest', async () => {
  const { url } = await serve((_request, response) => {
    for (let n = 0; n < 100; n++) response.write('x'.repeat(10_000))
    response.end()
  })
  const { net, clock } = open()
  await expect((await net.request({ url })).text(50_000)).rejects.toMatchObject({ code: 'NET_TOO_LARGE' })
  await vi.waitFor(() => expect(clock.pending()).toBe(0))
})

test('an answer that is closed unread costs no timer and no connection', async () => {
  const closed = vi.fn()
  const { url } = await serve((request, response) => {
    request.socket.on('close', closed)
    response.write('.')
  })
  const { net, clock } = open()
  const response = await net.request({ url })
  response.close()
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1))
  expect(clock.pending()).toBe(0)
})

test('JSON goes out with its type and comes back parsed, checked against a schema where one is given', async () => {
  const seen: unknown[] = []
  const { url } = await serve((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push([request.method, request.headers['content-type'], body])
      response.end(body === '' ? '<html>' : body)
    })
  })
  const { net: client } = open()
  const City = z.object({ city: z.string() })
  const answer = await client.request({ url, json: { city: 'Graz' } })
  expect((await answer.json()).city).toBe('Graz')
  const typed = await client.request({ url, method: 'PUT', headers: { 'Content-Type': 'a/b' }, json: { city: 1 } })
  await expect(typed.json(City)).rejects.toMatchObject({ code: 'NET_JSON', message: expect.stringContaining('city: ') })
  await expect((await client.request({ url })).json()).rejects.toMatchObject({
    code: 'NET_JSON',
    message: expect.stringContaining('"<html>"'),
  })
  expect(seen).toEqual([
    ['POST', 'application/json', '{"city":"Graz"}'],
    ['PUT', 'a/b', '{"city":1}'],
    ['GET', undefined, ''],
  ])
})
