/** What comes to the door without being meant for it: rebound names and guessed keys. */

import { virtualClock } from 'svc/sdk/testing'
import { type HttpApp, jsonResponse } from 'svc/sdk/web'
import { describe, expect, test } from 'vitest'
import { FailedProofs } from '../../../../plugins/http/http/failed-proofs.ts'
import { isOwnHost } from '../../../../plugins/http/http/host-check.ts'
import { bearer, echoApp, KEY, openHttp, raw } from './desk.ts'

/** The first line of the answer to a GET. */
async function ask(port: number, path: string, host: string, more = ''): Promise<string> {
  const text = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`
  return (await raw(port, [text])).text.split('\r\n')[0] ?? ''
}

describe('a request that names another host', () => {
  test('is refused on loopback, whatever it asks for: the name was rebound to this machine', async () => {
    const { http } = await openHttp()
    const { port } = await http.mount(echoApp())
    const key = `Authorization: Bearer ${KEY}\r\n`
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      '10.0.0.1',
      '[fe80::1]',
      '',
    ]) {
      expect([host, await ask(port, '/health', host)]).toEqual([host, 'HTTP/1.1 421 Misdirected Request'])
      expect([host, await ask(port, '/things/1', host, key)]).toEqual([host, 'HTTP/1.1 421 Misdirected Request'])
      expect([host, await ask(port, '/no/such/path', host)]).toEqual([host, 'HTTP/1.1 421 Misdirected Request'])
    }
  })

  test('is answered under every name of loopback', async () => {
    const { http } = await openHttp()
    const { port } = await http.mount(echoApp())
    for (const host of ['localhost', `127.0.0.1:${port}`, `[::1]:${port}`, 'LOCALHOST.', 'svc.localhost:1'])
      expect([host, await ask(port, '/health', host)]).toEqual([host, 'HTTP/1.1 200 OK'])
  })

  test('is answered when a reverse proxy of that name is configured', async () => {
    const { http } = await openHttp({ hosts: ['svc.example'] })
    const { port } = await http.mount(echoApp())
    expect(await ask(port, '/health', 'svc.example')).toBe('HTTP/1.1 200 OK')
    expect(await ask(port, '/health', 'evil.example')).toBe('HTTP/1.1 421 Misdirected Request')
  })

  test('is checked by its signature where it is signed: tunnels bring webhooks under their own names', async () => {
    const { http } = await openHttp()
    const app = echoApp()
    const signed = { kind: 'signed' as const, check: ({ headers }: { headers: object }) => 'x-signature' in headers }
    const [, echo] = app.routes
    const routes = echo ? [...app.routes.slice(0, 1), { ...echo, method: 'POST' as const, lock: signed }] : []
    const { port } = await http.mount(echoApp({ routes }))
    const post = async (more: string) => {
      const head = `POST /echo HTTP/1.1\r\nHost: tunnel.example\r\n${more}Content-Length: 0\r\nConnection: close\r\n\r\n`
      return (await raw(port, [head])).text.split('\r\n')[0]
    }
    expect(await post('X-Signature: right\r\n')).toBe('HTTP/1.1 200 OK')
    expect(await post('')).toBe('HTTP/1.1 401 Unauthorized')
    expect(await ask(port, '/health', 'tunnel.example')).toBe('HTTP/1.1 421 Misdirected Request')
  })

  test('is not judged where others can connect: the names of the machine are not known', () => {
    expect(isOwnHost({ host: '0.0.0.0' }, 'svc.example', [])).toBe(true)
    expect(isOwnHost({ host: '127.0.0.1' }, 'svc.example', [])).toBe(false)
  })

  test('is refused where others can connect by an app that knows its names; an address is no name to rebind', () => {
    const app = { host: '0.0.0.0', hosts: ['svc.example'] }
    for (const own of ['svc.example:443', 'SVC.example.', '10.0.0.5:9119', '[fe80::1]', 'localhost', '127.0.0.1'])
      expect([own, isOwnHost(app, own, [])]).toEqual([own, true])
    for (const other of ['evil.example', 'svc.example.evil.example', 'evil-svc.example', ''])
      expect([other, isOwnHost(app, other, [])]).toEqual([other, false])
    expect(isOwnHost(app, 'proxy.example', ['proxy.example'])).toBe(true)
    expect(isOwnHost({ host: '127.0.0.1', hosts: ['svc.example'] }, '10.0.0.5', [])).toBe(false)
  })
})

describe('wrong keys', () => {
  test('are answered with 429 after thirty in a minute, and the right key opens at any time', async () => {
    const { http } = await openHttp()
    const { url } = await http.mount(echoApp())
    const ask = async (headers: Record<string, string>) => (await fetch(`${url}/things/1`, { headers })).status
    const guess = (at: number) => ask({ authorization: `Bearer guess-${at}` })
    for (let at = 0; at < 30; at++) expect(await guess(at)).toBe(401)
    expect(await guess(31)).toBe(429)
    expect(await ask(bearer)).toBe(200)
    expect(await guess(32)).toBe(429)
    expect(await ask({})).toBe(401)
  })

  test('are forgotten after a minute, and counted by address', async () => {
    const clock = virtualClock()
    const failed = new FailedProofs(() => clock)
    for (let at = 0; at < 30; at++) expect(failed.add('a')).toBe(0)
    expect(failed.add('a')).toBeGreaterThan(0)
    expect(failed.add('b')).toBe(0)
    await clock.advance(60_001)
    expect(failed.add('a')).toBe(0)
  })
})

test('the list of doors says what is bound, and whether others can come', async () => {
  const { http } = await openHttp()
  const app = echoApp({ host: '0.0.0.0' })
  const own = await http.mount(echoApp({ name: 'own' }))
  const open = await http.mount(app)
  expect(http.apps().map(({ name, bound, isReachable }) => ({ name, bound, isReachable }))).toEqual([
    { name: 'own', bound: `127.0.0.1:${own.port}`, isReachable: false },
    { name: 'echo', bound: `0.0.0.0:${open.port}`, isReachable: true },
  ])
})

describe('a request that reaches no route', () => {
  const failure: HttpApp['failure'] = ({ status, code, message }) =>
    jsonResponse({ problem: { code, message } }, status)
  const first = ({ text }: { readonly text: string }) => text.split('\r\n')[0]

  test.each([
    ['is no HTTP', 'NONSENSE\r\n\r\n', '400', 'HTTP_BAD_REQUEST'],
    [
      'has headers that are too large',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      '431',
      'HTTP_HEADERS',
    ],
    [
      'names two hosts',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n',
      '400',
      'HTTP_BAD_REQUEST',
    ],
    ['has no version', 'GET /health\r\n\r\n', '400', 'HTTP_BAD_REQUEST'],
  ])('is refused in the words of the app that has the server when it %s', async (_what, text, status, code) => {
    const { http } = await openHttp()
    const { port } = await http.mount(echoApp({ failure }))
    const reply = await raw(port, [text])
    expect(reply.ended).toBe(true)
    expect(first(reply)).toContain(` ${status} `)
    expect(JSON.parse(reply.text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ problem: { code } })
  })
})
