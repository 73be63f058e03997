/** The moment from which a request may have been acted on: its last byte, and nothing before it. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HttpClient } from '../../program/net.ts'

const BODY = '{"text":"hello"}'
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** A TCP server that sees every byte; `heard` is called after each piece with all that came so far. */
async function listen(heard: (socket: Socket, all: string) => void, opened: (socket: Socket) => void = () => {}) {
  const sockets = new Set<Socket>()
  const seen: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    const at = seen.push('') - 1
    socket.on('error', () => {})
    socket.on('data', (piece) => {
      seen[at] += piece.toString('latin1')
      heard(socket, seen[at] ?? '')
    })
    opened(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/send`, port, seen, server }
}

function open() {
  const net = new HttpClient(virtualClock())
  onTestFinished(() => net.close())
  return net
}

const withoutLast = (all: string) => all.endsWith(`\r\n\r\n${BODY.slice(0, -1)}`)

/** What became of a request, and how often it was committed. */
async function outcome(url: string, request: { readonly body?: string; readonly method?: string } = { body: BODY }) {
  const commit = vi.fn()
  const result = await open()
    .request({ method: 'POST', ...request, url, once: true, commit })
    .then(
      ({ status }) => `${status}`,
      (error) => String(error.code),
    )
  return { result, commits: commit.mock.calls.length }
}

test('a port where nothing listens: nothing was asked', async () => {
  const { url, server } = await listen(() => {})
  server.close()
  expect(await outcome(url)).toEqual({ result: 'NET_UNREACHABLE', commits: 0 })
})

test('a name that does not resolve: nothing was asked', async () => {
  expect(await outcome('http://nowhere.invalid/')).toEqual({ result: 'NET_UNREACHABLE', commits: 0 })
})

test('a connection that is cut as soon as it is made: nothing was asked', async () => {
  const { url } = await listen(
    () => {},
    (socket) => socket.resetAndDestroy(),
  )
  const { result, commits } = await outcome(url, { body: 'x'.repeat(16_000_000) })
  expect({ result, commits }).toEqual({ result: 'NET_UNREACHABLE', commits: 0 })
})

test('a connection that is cut within the TLS handshake: nothing was asked', async () => {
  const { port } = await listen((socket) => socket.destroy())
  expect(await outcome(`https://127.0.0.1:${port}/`)).toEqual({ result: 'NET_UNREACHABLE', commits: 0 })
})

test('a connection that is cut in the middle of a large body: nothing was asked', async () => {
  const { url } = await listen((socket, all) => {
    if (all.length > 100_000) socket.destroy()
  })
  expect(await outcome(url, { body: 'x'.repeat(16_000_000) })).toEqual({ result: 'NET_UNREACHABLE', commits: 0 })
})

test('a request that is committed arrives whole, with its length', async () => {
  const { url, seen } = await listen((socket, all) => {
    if (all.endsWith(BODY)) socket.write(OK)
  })
  expect(await outcome(url)).toEqual({ result: '200', commits: 1 })
  expect(seen[0]).toMatch(/content-length: 16\r\n/i)
})

test('a connection that is cut after the last byte: it may have been done', async () => {
  const { url } = await listen((socket, all) => {
    if (all.endsWith(BODY)) socket.destroy()
  })
  expect(await outcome(url)).toEqual({ result: 'NET_CLOSED', commits: 1 })
})

test('a commit that throws: the last byte is not sent, and the request fails with that error', async () => {
  const { url, seen } = await listen(() => {})
  const commit = () => {
    throw new Error('the disk is full')
  }
  await expect(open().request({ url, method: 'POST', body: BODY, once: true, commit })).rejects.toThrow(
    'the disk is full',
  )
  await vi.waitFor(() => expect(withoutLast(seen[0] ?? '')).toBe(true))
})

test('a server that answers before the request is complete is heard, and nothing is committed', async () => {
  const { url } = await listen((socket, all) => {
    if (all.length > 1000) socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n')
    socket.pause()
  })
  expect(await outcome(url, { body: 'x'.repeat(16_000_000) })).toEqual({ result: '413', commits: 0 })
})

test('a request without a body is complete with its header', async () => {
  const { url, seen } = await listen((socket, all) => {
    if (all.endsWith('\r\n\r\n')) socket.destroy()
  })
  expect(await outcome(url, { method: 'PUT' })).toEqual({ result: 'NET_CLOSED', commits: 1 })
  expect(seen).toHaveLength(1)
})

test('a kept connection that was closed meanwhile is replaced before the commit, never after it', async () => {
  const large = 'x'.repeat(16_000_000)
  const { url, seen } = await listen((socket, all) => {
    const [, , second] = all.split('POST /send')
    if (second !== undefined && (second.endsWith(BODY) || second.endsWith('x'))) socket.resetAndDestroy()
    else if (all.endsWith(BODY) || all.length > large.length) socket.write(OK)
  })
  const net = open()
  const commit = vi.fn()
  const ask = async (body: string) => (await net.request({ url, method: 'POST', body, commit })).text()
  await ask(BODY)
  expect([await ask(large), commit.mock.calls.length, seen.length]).toEqual(['ok', 2, 2])
  await expect(ask(BODY)).rejects.toMatchObject({ code: 'NET_CLOSED' })
  expect([commit.mock.calls.length, seen.length]).toEqual([3, 2])
})
