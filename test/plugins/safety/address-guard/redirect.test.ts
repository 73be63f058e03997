import type { NetResponse } from 'svc/sdk'
import { expect, test } from 'vitest'
import { createRedirectedRequest, findRedirect } from '../../../../plugins/safety/address-guard/redirect.ts'

const from = new URL('https://a.example/one')
const post = {
  url: from.href,
  method: 'POST',
  body: 'x=1',
  headers: { Accept: '*/*', 'Content-Type': 'text/plain', Cookie: 'c', Authorization: 'Bearer t', 'X-Api-Key': 'k' },
}

test.for([
  [301, 'POST', 'GET'],
  [302, 'POST', 'GET'],
  [303, 'POST', 'GET'],
  [307, 'POST', 'POST'],
  [308, 'POST', 'POST'],
  [301, 'PUT', 'PUT'],
  [303, 'PUT', 'GET'],
  [303, 'HEAD', 'HEAD'],
  [302, 'GET', 'GET'],
] as const)('after %i a %s continues as %s', ([status, method, expected]) => {
  const next = createRedirectedRequest({ ...post, method }, from, 'https://a.example/two', status)
  expect(next.method).toBe(expected)
  const keepsBody = expected === method
  expect(next.body).toBe(keepsBody ? 'x=1' : undefined)
  expect('Content-Type' in (next.headers ?? {})).toBe(keepsBody)
  expect(next.headers).toMatchObject({ Cookie: 'c', Authorization: 'Bearer t' })
})

test.for(['https://b.example/', 'http://a.example/', 'https://a.example:444/', 'https://sub.a.example/'])(
  'credentials do not go along to the other origin %s',
  (to) => {
    expect(createRedirectedRequest(post, from, to, 307).headers).toEqual({
      Accept: '*/*',
      'Content-Type': 'text/plain',
    })
  },
)

test('a redirect leads to an address relative to the one that was asked', () => {
  const answer = (status: number, location?: string) =>
    findRedirect({ status, headers: location === undefined ? {} : { location } } as NetResponse, from)
  expect(answer(302, 'two?x')).toBe('https://a.example/two?x')
  expect(answer(302, '//b.example/')).toBe('https://b.example/')
  expect(answer(302, 'http://[broken')).toBe('http://[broken')
  expect(answer(302)).toBeUndefined()
  expect(answer(304, '/two')).toBeUndefined()
  expect(answer(200, '/two')).toBeUndefined()
})
