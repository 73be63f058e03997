import { expect, test } from 'vitest'
import { bearer, echoApp, KEY, openHttp, raw } from './desk.ts'

test('pieces arrive as they are made, not when all are there', async () => {
  const { http } = await openHttp()
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  async function* body() {
    yield 'one\n'
    await gate
    yield Buffer.from('two\n')
  }
  const { url } = await http.mount(
    echoApp({ routes: [{ method: 'GET', path: '/stream', handle: async () => ({ body: body() }) }] }),
  )
  const response = await fetch(`${url}/stream`, { headers: bearer })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('one\n')
  goOn()
  expect((await reader?.read())?.value).toBe('two\n')
  expect((await reader?.read())?.done).toBe(true)
})

test('a client that is gone ends the body, and the handler hears of it', async () => {
  const { http } = await openHttp()
  let ended = () => {}
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })
  async function* body(signal: AbortSignal) {
    try {
      yield 'first'
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    } finally {
      ended()
    }
  }
  const { port } = await http.mount(
    echoApp({ routes: [{ method: 'GET', path: '/stream', handle: async ({ signal }) => ({ body: body(signal) }) }] }),
  )
  await raw(port, [`GET /stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\n\r\n`], 'first')
  await end
})

test('a client that does not read slows the body down instead of filling the memory', async () => {
  const { http } = await openHttp()
  let made = 0
  let stopped = () => {}
  const stop = new Promise<void>((resolve) => {
    stopped = resolve
  })
  async function* body() {
    try {
      for (; made < 100_000; made++) yield 'x'.repeat(65_536)
    } finally {
      stopped()
    }
  }
  const { port } = await http.mount(
    echoApp({ routes: [{ method: 'GET', path: '/flood', handle: async () => ({ body: body() }) }] }),
  )
  const { connect } = await import('node:net')
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write(`GET /flood HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\n\r\n`)
  let before = -1
  while (made !== before || made === 0) {
    before = made
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(made).toBeLessThan(1000)
  socket.destroy()
  await stop
})

test('a body that fails is cut, so that no one takes half of it for the whole', async () => {
  const { http } = await openHttp()
  async function* body() {
    yield 'half'
    throw new Error('out of words')
  }
  const { url } = await http.mount(
    echoApp({ routes: [{ method: 'GET', path: '/stream', handle: async () => ({ body: body() }) }] }),
  )
  const response = await fetch(`${url}/stream`, { headers: bearer })
  await expect(response.text()).rejects.toThrow()
})
