import { jsonResponse } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { bearer, echoApp, openHttp } from './desk.ts'

const page = 'https://app.example'

test('a page of an origin that is not listed is refused before anything is done', async () => {
  const { http } = await openHttp()
  let calls = 0
  const handle = async () => {
    calls++
    return jsonResponse({})
  }
  const { url } = await http.mount(echoApp({ routes: [{ method: 'POST', path: '/work', handle }] }))
  const post = { method: 'POST', body: '{}' }
  expect((await fetch(`${url}/work`, { ...post, headers: { ...bearer, origin: page } })).status).toBe(403)
  expect((await fetch(`${url}/work`, { method: 'OPTIONS', headers: { origin: page } })).status).toBe(403)
  expect(calls).toBe(0)
  expect((await fetch(`${url}/work`, { ...post, headers: bearer })).status).toBe(200)
})

test('a listed page may use every method, send its own headers and read those of the reply', async () => {
  const { http } = await openHttp()
  const { url } = await http.mount(
    echoApp({
      origins: [page],
      routes: [
        { method: 'GET', path: '/it', handle: async () => jsonResponse({}, 200, { 'x-session-id': 's1' }) },
        { method: 'PATCH', path: '/it', handle: async () => jsonResponse({}) },
      ],
    }),
  )
  const asked = await fetch(`${url}/it`, {
    method: 'OPTIONS',
    headers: {
      origin: page,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, x-session-id, idempotency-key',
    },
  })
  expect(asked.status).toBe(204)
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'access-control-allow-origin': page,
    'access-control-allow-methods': 'GET, PATCH, OPTIONS',
    'access-control-allow-headers': 'authorization, x-session-id, idempotency-key',
    'access-control-max-age': '600',
    vary: 'Origin',
  })
  const got = await fetch(`${url}/it`, { headers: { ...bearer, origin: page } })
  expect(got.headers.get('access-control-allow-origin')).toBe(page)
  expect(got.headers.get('access-control-expose-headers')).toContain('x-session-id')
  expect((await fetch(`${url}/it`, { headers: { ...bearer, origin: `${page}.evil.example` } })).status).toBe(403)
})

test('the lock stays shut for a listed page without the key, and the page can read why', async () => {
  const { http } = await openHttp()
  const { url } = await http.mount(echoApp({ origins: [page] }))
  const response = await fetch(`${url}/echo`, { method: 'POST', headers: { origin: page } })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, page])
})

test('an asterisk lets every page ask', async () => {
  const { http } = await openHttp()
  const { url } = await http.mount(echoApp({ origins: ['*'] }))
  const response = await fetch(`${url}/things/1`, { headers: { ...bearer, origin: 'null' } })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
})

test('an app may tell itself which origins it takes, the opaque one of files too', async () => {
  const { http } = await openHttp()
  const origins = (origin: string) => origin === 'null' || /^http:\/\/localhost(:\d+)?$/.test(origin)
  const { url } = await http.mount(echoApp({ origins }))
  const ask = async (origin: string) => {
    const response = await fetch(`${url}/things/1`, { headers: { ...bearer, origin } })
    return [response.status, response.headers.get('access-control-allow-origin')]
  }
  expect(await ask('null')).toEqual([200, 'null'])
  expect(await ask('http://localhost:5173')).toEqual([200, 'http://localhost:5173'])
  expect(await ask('http://localhost.evil.example')).toEqual([403, null])
  expect((await fetch(`${url}/things/1`, { headers: bearer })).headers.get('vary')).toBe('Origin')
})
