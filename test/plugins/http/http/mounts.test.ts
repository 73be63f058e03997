import fc from 'fast-check'
import { testKernel } from 'svc/sdk/testing'
import { type HttpApp, jsonResponse } from 'svc/sdk/web'
import { describe, expect, test } from 'vitest'
import { bearer, echoApp, KEY, openHttp, raw } from './desk.ts'

const get = async (url: string) => (await fetch(url, { headers: bearer })).status

describe('servers', () => {
  test('apps of one address share a server, the longest prefix answers, and each comes and goes alone', async () => {
    const { http } = await openHttp()
    const first = await http.mount(echoApp())
    const second = await http.mount(echoApp({ name: 'second', prefix: '/second', port: first.port }))
    expect(second.port).toBe(first.port)
    expect(http.apps().map(({ name, url }) => ({ name, url }))).toEqual([
      { name: 'echo', url: first.url },
      { name: 'second', url: `${first.url}/second` },
    ])
    expect([await get(`${first.url}/things/1`), await get(`${second.url}/things/1`)]).toEqual([200, 200])
    await first.close()
    expect([await get(`${first.url}/things/1`), await get(`${second.url}/things/1`)]).toEqual([404, 200])
    await second.close()
    await expect(fetch(`${second.url}/health`)).rejects.toThrow()
    const again = await http.mount(echoApp({ port: first.port }))
    expect(await get(`${again.url}/things/1`)).toBe(200)
  })

  test('a path belongs to one app, a prefix to as many as like', async () => {
    const { http } = await openHttp()
    const { port, url } = await http.mount(echoApp())
    const handle = async () => jsonResponse({ mine: true })
    const route = (path: string) => ({ method: 'GET', path, handle }) as const
    for (const path of ['/echo', '/things/one', '/things/:other'])
      await expect(http.mount(echoApp({ name: 'other', port, routes: [route(path)] }))).rejects.toMatchObject({
        code: 'HTTP_PATH_TAKEN',
      })
    await http.mount(echoApp({ name: 'other', port, routes: [route('/other'), route('/things/:id/more')] }))
    await http.mount(echoApp({ name: 'inner', port, prefix: '/things', routes: [route('')] }))
    const statuses = ['/other', '/things/1/more', '/things', '/things/1', '/nowhere'].map((path) =>
      get(`${url}${path}`),
    )
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200, 404])
  })

  test('the next generation of an app takes over, and the older one ends what it began', async () => {
    const { http } = await openHttp()
    let finish = () => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    const slow = { method: 'GET', path: '/slow', handle: async () => gate.then(() => ({ body: 'old' })) } as const
    const old = await http.mount(echoApp({ routes: [slow] }))
    const waiting = fetch(`${old.url}/slow`, { headers: bearer })
    await raw(old.port, [`GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n`], '404')
    const fresh = await http.mount(
      echoApp({ port: old.port, routes: [{ ...slow, handle: async () => ({ body: 'new' }) }] }),
    )
    expect(await (await fetch(`${fresh.url}/slow`, { headers: bearer })).text()).toBe('new')
    finish()
    expect(await (await waiting).text()).toBe('old')
    await old.close()
    expect(await (await fetch(`${fresh.url}/slow`, { headers: bearer })).text()).toBe('new')
  })

  test('a withdrawn app tells its streams, and does not wait long for those that do not listen', async () => {
    const { http } = await openHttp()
    async function* polite(signal: AbortSignal) {
      yield 'polite'
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield ', good-bye'
    }
    async function* deaf() {
      yield 'deaf'
      await new Promise(() => {})
    }
    const { url, close } = await http.mount(
      echoApp({
        routes: [
          { method: 'GET', path: '/polite', handle: async ({ signal }) => ({ body: polite(signal) }) },
          { method: 'GET', path: '/deaf', handle: async () => ({ body: deaf() }) },
        ],
      }),
    )
    const streams = await Promise.all([
      fetch(`${url}/polite`, { headers: bearer }),
      fetch(`${url}/deaf`, { headers: bearer }),
    ])
    const texts = streams.map((response) => response.text().catch(() => 'cut'))
    await close()
    expect(await Promise.all(texts)).toEqual(['polite, good-bye', 'cut'])
  })

  test('a port that another program has is named with a way out', async () => {
    const { http } = await openHttp()
    const { createServer } = await import('node:http')
    const other = createServer()
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const error = await http.mount(echoApp({ port })).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'HTTP_PORT_TAKEN',
      message: expect.stringContaining(`ss -ltnp | grep ${port}`),
    })
    await new Promise((resolve) => other.close(resolve))
    expect((await http.mount(echoApp({ port }))).port).toBe(port)
  })

  test('an address of another machine cannot be listened on', async () => {
    const { http } = await openHttp()
    const mounting = http.mount(echoApp({ host: '192.0.2.1' }))
    await expect(mounting).rejects.toMatchObject({ code: 'HTTP_ADDRESS' })
  })

  test('nothing listens any more when the kernel has stopped', async () => {
    const kernel = await testKernel({ plugins: ['http'] })
    const { http } = { http: kernel.use((await import('svc/sdk/web')).Http) }
    const { url } = await http.mount(echoApp())
    expect(await get(`${url}/health`)).toBe(200)
    await kernel.stop()
    await expect(fetch(`${url}/health`)).rejects.toThrow()
  })

  test('a server stays when its plugin is reloaded while apps are mounted elsewhere', async () => {
    const [one, two] = [await openHttp(), await openHttp()]
    const first = await one.http.mount(echoApp())
    await two.http.mount(echoApp({ name: 'two', prefix: '/two', port: first.port }))
    await one.kernel.stop()
    expect(await get(`${first.url}/two/things/1`)).toBe(200)
  })
})

describe('open doors', () => {
  const outside = '0.0.0.0'
  const refused = { code: 'HTTP_OPEN_DOOR' }

  test('work without a lock is not offered to others', async () => {
    const { http } = await openHttp()
    const app = echoApp({ host: outside, lock: { kind: 'public' } })
    await expect(http.mount(app)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('POST /echo of echo'),
    })
    await expect(http.mount({ ...app, host: 'my-machine.example' })).rejects.toMatchObject(refused)
    expect((await http.mount({ ...app, host: '127.0.0.1' })).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  test('a lock without a secret is no lock', async () => {
    const { http } = await openHttp()
    const app = echoApp({ host: outside, lock: { kind: 'bearer', secret: () => undefined } })
    await expect(http.mount(app)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('has no key') })
    const locked = await http.mount({ ...app, lock: { kind: 'bearer', secret: () => KEY } })
    expect(await get(`${locked.url}/things/1`)).toBe(200)
  })

  test('whatever the routes are, others find nothing that works without proof', async () => {
    const { checkAppLocks } = await import('../../../../plugins/http/http/app-rules.ts')
    const lock = fc.constantFrom<HttpApp['lock']>(
      { kind: 'public' },
      { kind: 'bearer', secret: () => KEY },
      { kind: 'bearer', secret: () => undefined },
      { kind: 'credential', check: () => true, isSet: () => true },
      { kind: 'credential', check: () => true, isSet: () => false },
      { kind: 'signed', check: () => true },
    )
    const route = fc.record({
      method: fc.constantFrom('GET' as const, 'POST' as const, 'PATCH' as const, 'DELETE' as const, 'PUT' as const),
      lock: fc.option(lock, { nil: undefined }),
    })
    const host = fc.constantFrom(
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      'localhost',
      '0.0.0.0',
      '::',
      '10.0.0.1',
      'localhost.evil',
      '',
    )
    fc.assert(
      fc.property(fc.array(route, { maxLength: 4 }), lock, host, (routes, appLock, where) => {
        const app = echoApp({
          host: where,
          lock: appLock,
          routes: routes.map(({ method, lock: own }, at) => ({
            method,
            path: `/${at}`,
            ...(own && { lock: own }),
            handle: async () => ({}),
          })),
        })
        const open = routes.some(({ method, lock: own = appLock }) => {
          if (own.kind === 'public') return method !== 'GET'
          return (own.kind === 'bearer' && !own.secret()) || (own.kind === 'credential' && !own.isSet())
        })
        const isInside = ['127.0.0.1', '127.9.9.9', '::1', 'localhost'].includes(where)
        const check = () => checkAppLocks(app)
        if (open && !isInside) expect(check).toThrow()
        else expect(check).not.toThrow()
      }),
    )
  })
})
