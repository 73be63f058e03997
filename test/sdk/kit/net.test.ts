import { generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import {
  matchesEd25519,
  openTextSocket,
  readEvents,
  readLines,
  type TextSocket,
  type TextSocketOptions,
} from 'svc/sdk/kit/net'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'

async function* cut(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  let from = 0
  for (const at of cuts.map((each) => each % (bytes.length + 1)).toSorted((a, b) => a - b)) {
    yield bytes.subarray(from, at)
    from = at
  }
  yield bytes.subarray(from)
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const each of source) all.push(each)
  return all
}

const onTooLong = () => new Error('too long')
const cuts = fc.array(fc.nat(500))
const word = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''))

describe('lines', () => {
  test('arrive whole, wherever the stream was cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(word), fc.constantFrom('\n', '\r\n'), word, cuts, async (lines, end, rest, at) => {
        const text = lines.map((line) => line + end).join('') + rest
        expect(await collect(readLines(cut(text, at), { maxBytes: 1e6, onTooLong }))).toEqual(lines)
      }),
    )
  })

  test('are as long as their limit at most', async () => {
    expect(await collect(readLines(cut('ü\n', [1]), { maxBytes: 2, onTooLong }))).toEqual(['ü'])
    await expect(collect(readLines(cut('üx', []), { maxBytes: 2, onTooLong }))).rejects.toThrow('too long')
  })
})

describe('server-sent events', () => {
  test('arrive whole, wherever the stream was cut and however its lines end', async () => {
    const event = fc.record({
      type: fc.constantFrom('message', 'delta'),
      data: fc.array(word, { minLength: 1 }),
      id: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.constantFrom('\n', '\r\n'), cuts, async (events, end, at) => {
        const text = events.map(({ type, data, id }) =>
          [`event: ${type}`, ': a comment', ...data.map((line) => `data: ${line}`), `id:${id}`, 'retry', '', ''].join(
            end,
          ),
        )
        const seen = await collect(readEvents(cut(text.join(''), at), { maxLength: 1e6, onTooLong }))
        expect(seen).toEqual(events.map(({ type, data, id }) => ({ type, data: data.join('\n'), id: String(id) })))
      }),
    )
  })

  test('keep the id until there is another, and one that was cut off does not count', async () => {
    const text = 'id:1\ndata:a\n\ndata: b\n\nevent:x\n\ndata:c\nid:2\0\n\ndata:cut off'
    expect(await collect(readEvents(cut(text, []), { maxLength: 99, onTooLong }))).toEqual([
      { id: '1', type: 'message', data: 'a' },
      { id: '1', type: 'message', data: 'b' },
      { id: '1', type: 'message', data: 'c' },
    ])
  })

  test('that do not end are given up, and every piece is a sign of life', async () => {
    let heard = 0
    async function* endless() {
      for (;;) yield Buffer.from('data: 1234\n')
    }
    const reading = collect(readEvents(endless(), { maxLength: 20, onTooLong, heard: () => void heard++ }))
    await expect(reading).rejects.toThrow('too long')
    expect(heard).toBe(6)
  })
})

describe('a text socket', () => {
  async function serve(accept: (socket: WebSocket) => void = () => undefined) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 1e6 })
    onTestFinished(() => {
      for (const client of server.clients) client.terminate()
      server.close()
    })
    server.on('connection', accept)
    await new Promise((resolve) => server.once('listening', resolve))
    return { server, url: `ws://127.0.0.1:${(server.address() as { port: number }).port}` }
  }

  async function open(url: string, options: Partial<TextSocketOptions> = {}) {
    const seen: string[] = []
    const socket: TextSocket = await openTextSocket(
      { signal: new AbortController().signal, ...options, url },
      {
        opened: () => void seen.push('opened'),
        message: (text) => void seen.push(text),
        heard: () => void seen.push('heard'),
        closed: (reason, code) => void seen.push(`closed ${code} ${reason}`),
      },
    )
    return { socket, seen }
  }

  test('sends and receives texts, pings, and says how it ended', async () => {
    const { url } = await serve((socket) =>
      socket.on('message', (data) =>
        String(data) === 'bye' ? socket.close(4001, 'enough') : socket.send(`got ${data}`),
      ),
    )
    const { socket, seen } = await open(url)
    await vi.waitFor(() => expect(seen).toEqual(['opened']))
    socket.send('ü')
    await vi.waitFor(() => expect(seen).toEqual(['opened', 'heard', 'got ü']))
    socket.ping()
    await vi.waitFor(() => expect(seen.at(-1)).toBe('heard'))
    socket.send('bye')
    await vi.waitFor(() => expect(seen.at(-1)).toBe('closed 4001 enough'))
    socket.send('dropped')
    socket.ping()
  })

  test('is cut by its signal, even if that had aborted before, without a closing handshake', async () => {
    const ends: number[] = []
    const { url } = await serve((socket) => socket.on('close', (code) => void ends.push(code)))
    const abort = new AbortController()
    const { seen } = await open(url, { signal: abort.signal })
    await vi.waitFor(() => expect(seen).toEqual(['opened']))
    abort.abort()
    await vi.waitFor(() => expect(ends).toEqual([1006]))
    expect(seen.at(-1)).toBe('closed 1006 code 1006')
    const late = await open(url, { signal: abort.signal })
    await vi.waitFor(() => expect(late.seen).toHaveLength(1))
    expect(late.seen[0]).toMatch(/^closed 1006/)
  })

  test('that is watched sends pings, and is cut when nothing was heard of the other side', async () => {
    let pings = 0
    const { url } = await serve((socket) => socket.on('ping', () => pings++))
    const clock = virtualClock()
    const watch = { clock, silenceMs: 75_000, pingMs: 30_000 }
    const { seen } = await open(url, { watch })
    await vi.waitFor(() => expect(seen).toEqual(['opened']))
    await clock.advance(60_000)
    // An answer to a ping is a sign of life.
    await vi.waitFor(() => expect([pings, seen.length]).toEqual([2, 3]))
    await clock.advance(74_999)
    expect(seen.at(-1)).toBe('heard')
    const mute = await serve((socket) => socket.pause())
    const silent = await open(mute.url, { watch })
    await vi.waitFor(() => expect(silent.seen).toEqual(['opened']))
    await clock.advance(75_000)
    await vi.waitFor(() => expect(silent.seen).toEqual(['opened', 'closed 1006 nothing was heard of it']))
  })

  test('that cannot be opened says why, once; a malformed URL is an error of the caller', async () => {
    const { server, url } = await serve()
    server.close()
    await new Promise((resolve) => setImmediate(resolve))
    const { seen } = await open(url)
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    expect(seen[0]).toMatch(/^closed 1006 .*ECONNREFUSED/)
    await expect(open('no address')).rejects.toThrow('Invalid URL')
  })

  test('ends when a message is longer than its limit', async () => {
    const { url } = await serve((socket) => socket.send('x'.repeat(100)))
    const { seen } = await open(url, { maxBytes: 10 })
    await vi.waitFor(() => expect(seen.at(-1)).toMatch(/^closed 1006 .*max payload/i))
  })
})

test('a signature by a private key holds for its key and its parts, written whole', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const given = sign(null, Buffer.from('time|body'), privateKey).toString('hex')
  const claim = { key, parts: ['time|', Buffer.from('body')], given }
  expect(matchesEd25519(claim)).toBe(true)
  expect(matchesEd25519({ ...claim, given: given.toUpperCase() })).toBe(true)
  for (const wrong of [
    { parts: ['time|bodies'] },
    { given: `${given}x` },
    { given: '' },
    { key: key.subarray(1) },
    { key: Buffer.alloc(32, 9) },
    { encoding: 'base64' as const },
  ])
    expect(matchesEd25519({ ...claim, ...wrong })).toBe(false)
})
