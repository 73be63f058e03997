import { SvcError } from 'svc/sdk'
import { Http, type HttpRequest, jsonResponse } from 'svc/sdk/web'
import { describe, expect, test } from 'vitest'
import { bearer, echoApp, KEY, openHttp, raw } from './desk.ts'

describe('a request that is as it should be', () => {
  test('reaches its handler with parameters, query, headers and the bytes of its body', async () => {
    const { http } = await openHttp()
    const { url } = await http.mount(echoApp())
    const headers = { ...bearer, 'x-note': 'hello' }
    const posted = await fetch(`${url}/echo?a=1&a=2&b=%20`, { method: 'POST', body: 'bytes\0é', headers })
    expect(await posted.json()).toMatchObject({ body: 'bytes\0é', query: { a: '2', b: ' ' }, header: 'hello' })
    const got = await fetch(`${url}/things/one%20two`, { headers })
    expect(await got.json()).toMatchObject({ method: 'GET', params: { id: 'one two' }, body: '' })
  })

  test('is answered with headers that let no browser sniff, frame or keep the reply', async () => {
    const { http } = await openHttp()
    const { url } = await http.mount(echoApp({ headers: { 'x-served-by': 'echo', 'referrer-policy': 'origin' } }))
    const { headers } = await fetch(`${url}/health`)
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'strict-transport-security': 'max-age=31536000',
      'cache-control': 'no-store',
      'x-served-by': 'echo',
      'referrer-policy': 'origin',
    })
  })

  test('asks for the head of what it could get, and gets no body', async () => {
    const { http } = await openHttp()
    const { url } = await http.mount(echoApp())
    const response = await fetch(`${url}/health`, { method: 'HEAD' })
    expect({
      status: response.status,
      length: response.headers.get('content-length'),
      text: await response.text(),
    }).toEqual({
      status: 200,
      length: '11',
      text: '',
    })
  })
})

describe('a lock', () => {
  test.for([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer wrong' }],
    ['the key with more behind it', { authorization: `Bearer ${KEY}x` }],
    ['another scheme', { authorization: `Basic ${KEY}` }],
    ['an empty key', { authorization: 'Bearer ' }],
  ] as const)('stays shut for %s, and the answer says nothing but that', async ([, headers]) => {
    const { http } = await openHttp()
    const { url } = await http.mount(echoApp())
    const response = await fetch(`${url}/echo`, { method: 'POST', body: 'x', headers })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toEqual({ error: 'The key is missing or wrong.' })
  })

  test('of an app without a secret opens for no one, also for an empty key', async () => {
    const { http } = await openHttp()
    const { url } = await http.mount(echoApp({ lock: { kind: 'bearer', secret: () => undefined } }))
    for (const authorization of ['Bearer ', 'Bearer undefined', `Bearer ${KEY}`])
      expect((await fetch(`${url}/echo`, { method: 'POST', headers: { authorization } })).status).toBe(401)
  })

  test('follows its secret: the old key is worth nothing at once', async () => {
    const { http } = await openHttp()
    let secret = KEY
    const { url } = await http.mount(echoApp({ lock: { kind: 'bearer', secret: () => secret } }))
    const status = async (key: string) =>
      (await fetch(`${url}/things/1`, { headers: { authorization: `Bearer ${key}` } })).status
    expect([await status(KEY), await status('fresh')]).toEqual([200, 401])
    secret = 'fresh'
    expect([await status(KEY), await status('fresh')]).toEqual([401, 200])
  })

  test('over the request sees every byte, and its handler never sees what it refuses', async () => {
    const { http } = await openHttp()
    const seen: string[] = []
    const { url } = await http.mount(
      echoApp({
        lock: { kind: 'signed', status: 403, check: ({ body, headers }) => headers['x-note'] === String(body.length) },
        routes: [
          {
            method: 'POST',
            path: '/hook',
            handle: async ({ body }) => {
              seen.push(Buffer.from(body).toString('hex'))
              return jsonResponse({})
            },
          },
        ],
      }),
    )
    const post = async (note: string) =>
      (await fetch(`${url}/hook`, { method: 'POST', body: Buffer.from([0, 255, 10]), headers: { 'x-note': note } }))
        .status
    expect([await post('3'), await post('4')]).toEqual([200, 403])
    expect(seen).toEqual(['00ff0a'])
  })

  test('that knows credentials asks the head of a request, before a byte of its body is read', async () => {
    const { http } = await openHttp()
    const check = async ({ headers, params, body }: HttpRequest) =>
      body.length === 0 && headers['cookie'] === `session=${params['id'] ?? 'me'}`
    const { url, port } = await http.mount(echoApp({ lock: { kind: 'credential', check, isSet: () => true } }))
    const status = async (path: string, cookie: string) =>
      (await fetch(`${url}${path}`, { method: path === '/echo' ? 'POST' : 'GET', headers: { cookie } })).status
    expect([await status('/echo', 'session=me'), await status('/echo', 'session=you')]).toEqual([200, 401])
    expect([await status('/things/7', 'session=7'), await status('/things/8', 'session=7')]).toEqual([200, 401])
    expect(await status('/health', '')).toBe(200)
    const head = 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n'
    expect((await raw(port, [head], 'missing or wrong')).text).toMatch(/^HTTP\/1.1 401 /)
  })

  test('that knows credentials adds headers to the reply, also to one that says what failed', async () => {
    const { http } = await openHttp()
    const check = () => ({ headers: { 'set-cookie': 'session=new' } })
    const { url } = await http.mount(echoApp({ lock: { kind: 'credential', check, isSet: () => true } }))
    for (const [path, status] of [
      ['/things/7', 200],
      ['/echo', 405],
      ['/health', 200],
    ] as const) {
      const reply = await fetch(`${url}${path}`)
      const cookie = path === '/things/7' ? 'session=new' : null
      expect([path, reply.status, reply.headers.get('set-cookie')]).toEqual([path, status, cookie])
    }
    const large = await fetch(`${url}/echo`, { method: 'POST', body: 'x'.repeat(2000) })
    expect([large.status, large.headers.get('set-cookie')]).toEqual([413, 'session=new'])
  })

  test.for(['signed', 'credential'] as const)('whose check (%s) fails itself lets no one in', async (kind) => {
    const { http } = await openHttp()
    const check = () => {
      throw new Error('the secret is s3cret')
    }
    const lock = { kind, check, isSet: () => true }
    const { url } = await http.mount(echoApp({ lock }))
    const response = await fetch(`${url}/echo`, { method: 'POST', body: 'x' })
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('s3cret')
  })
})

describe('bad input', () => {
  test('too large a body is refused by its announced length, before a byte of it is sent', async () => {
    const { http } = await openHttp()
    const { port } = await http.mount(echoApp())
    const head = `POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 5000000000\r\n\r\n`
    const { text } = await raw(port, [head], 'Send less.')
    expect(text).toMatch(/^HTTP\/1.1 413 /)
  })

  test('too large a body without a length is refused while it is read', async () => {
    const { http } = await openHttp()
    const { port } = await http.mount(echoApp())
    const head = `POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`
    const { text } = await raw(port, [head, chunk], 'Send less.')
    expect(text).toMatch(/^HTTP\/1.1 413 /)
  })

  test('a stranger cannot make the server read a body: the key is asked first', async () => {
    const { http } = await openHttp()
    const { port } = await http.mount(echoApp())
    const { text } = await raw(
      port,
      ['POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n'],
      'wrong.',
    )
    expect(text).toMatch(/^HTTP\/1.1 401 /)
  })

  test('a client that trickles its headers or its body is shown out', async () => {
    const { http } = await openHttp({ request_timeout: 0.2 })
    const { port } = await http.mount(echoApp())
    const slow = `POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 10\r\n\r\nhal`
    for (const pieces of [['GET /health HTT'], [slow]]) {
      const { text, ended } = await raw(port, pieces)
      expect({ line: text.split('\r\n')[0], ended }).toEqual({ line: 'HTTP/1.1 408 Request Timeout', ended: true })
    }
  })

  test.for([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['two lengths', 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['a length that is none', 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n', 400],
    [
      'length and chunks',
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['headers without end', `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    [
      'a broken escape in the path',
      `GET /things/%zz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n\r\n`,
      400,
    ],
    [
      'a path without end',
      `GET /things/${'x'.repeat(9000)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n\r\n`,
      414,
    ],
  ] as const)('%s is refused with a sentence, and the server continues', async ([, bytes, status]) => {
    const { http } = await openHttp()
    const { port, url } = await http.mount(echoApp())
    const { text } = await raw(port, [bytes])
    expect(text.split(' ')[1]).toBe(String(status))
    expect(JSON.parse(text.split('\r\n\r\n').at(-1) ?? '').error).toMatch(/^[A-Z].+\.$/)
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test('an unknown path and an unknown method are told apart', async () => {
    const { http } = await openHttp()
    const { url } = await http.mount(echoApp())
    const lost = await fetch(`${url}/nowhere?key=secret`, { headers: bearer })
    expect([lost.status, await lost.json()]).toEqual([
      404,
      { error: 'Nothing is served at /nowhere. Check the address.' },
    ])
    const odd = await fetch(`${url}/echo`, { method: 'PUT', headers: bearer, body: 'x' })
    expect([odd.status, odd.headers.get('allow'), await odd.json()]).toEqual([
      405,
      'POST',
      { error: '/echo takes only POST.' },
    ])
  })

  test('a handler that fails is not quoted: errors for people are, without secrets', async () => {
    const { http, kernel } = await openHttp()
    const failing = (error: () => unknown) => ({
      handle: async () => {
        throw error()
      },
    })
    const { url } = await http.mount(
      echoApp({
        lock: { kind: 'public' },
        routes: [
          { method: 'GET', path: '/bug', ...failing(() => new TypeError('x is not a function')) },
          {
            method: 'GET',
            path: '/ours',
            ...failing(() => new SvcError('NO_TEA', 'The tea is out.', { status: 418 })),
          },
        ],
      }),
    )
    const bug = await fetch(`${url}/bug`)
    expect([bug.status, await bug.text()]).toEqual([
      500,
      '{"error":"The server failed while it answered. Its log says why."}',
    ])
    const ours = await fetch(`${url}/ours`)
    expect([ours.status, await ours.json()]).toEqual([418, { error: 'The tea is out.' }])
    expect(kernel.use(Http).apps()).toHaveLength(1)
  })

  test('an app says every refusal in its own words, also those of the server', async () => {
    const { http } = await openHttp()
    const failure: NonNullable<ReturnType<typeof echoApp>['failure']> = ({ status, code }) =>
      jsonResponse({ oops: code }, status)
    const { url } = await http.mount(echoApp({ failure }))
    const said = async (path: string, init: RequestInit) =>
      (await (await fetch(`${url}${path}`, init)).json()) as unknown
    const post = { method: 'POST', headers: bearer }
    expect(await said('/echo', { method: 'POST' })).toEqual({ oops: 'HTTP_UNAUTHORIZED' })
    expect(await said('/echo', { ...post, body: 'x'.repeat(2000) })).toEqual({ oops: 'HTTP_TOO_LARGE' })
    expect(await said('/nowhere', {})).toEqual({ oops: 'HTTP_NOT_FOUND' })
    expect(await said('/health', post)).toEqual({ oops: 'HTTP_METHOD' })
    expect(await said('/health', { headers: { origin: 'https://evil.example' } })).toEqual({ oops: 'HTTP_ORIGIN' })
  })
})
