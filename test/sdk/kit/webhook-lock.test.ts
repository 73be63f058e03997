/** A lock for webhooks: only what the service has signed, in time, and once. */
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { isSameSecret, matchesSignature, WebhookLock, type WebhookLockOptions } from 'svc/sdk/kit/net'
import { Storage } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import type { HttpRequest, HttpResponse } from 'svc/sdk/web'
import { expect, onTestFinished, test } from 'vitest'

const SECRET = 'whsec-0123456789'
const START = Date.UTC(2026, 0, 1)

/** A request as the service sends it. */
function signed(text: string, { at = START, secret = SECRET, spelt = (hex: string) => hex } = {}): HttpRequest {
  const time = String(at / 1000)
  const signature = spelt(createHmac('sha256', secret).update(`${time}.${text}`).digest('hex'))
  return { headers: { 'x-time': time, 'x-signature': signature }, body: Buffer.from(text) } as unknown as HttpRequest
}

const read: WebhookLockOptions['read'] = ({ headers, body }) => {
  const { 'x-time': time, 'x-signature': given } = headers
  return time === undefined || given === undefined ? undefined : { given: [given], parts: [`${time}.`, body], time }
}

async function open(options: Partial<WebhookLockOptions> & { readonly home?: string } = {}) {
  const clock = virtualClock(START)
  const kernel = await testKernel({ plugins: ['storage'], ...(options.home && { home: options.home }) })
  onTestFinished(() => kernel.stop())
  const taken: string[] = []
  const replies: HttpResponse[] = []
  const make = () =>
    new WebhookLock({
      ...{ secret: () => SECRET, read, clock: () => clock, storage: () => kernel.use(Storage) },
      ...{ file: join(kernel.home, 'taken.db'), ...options },
    })
  let lock = make()
  onTestFinished(() => lock.close())
  /** As a route does: the lock, then the handler. */
  const receive = async (request: HttpRequest): Promise<number> => {
    const { auth } = lock
    if (auth.kind !== 'signed' || !(await auth.check(request))) return 401
    const handle = lock.once(async ({ body }) => {
      taken.push(Buffer.from(body).toString())
      return replies.shift() ?? { status: 202, body: '' }
    })
    return (await handle(request)).status ?? 200
  }
  return {
    clock,
    taken,
    replies,
    receive,
    async restart() {
      await lock.close()
      lock = make()
    },
  }
}

test('a signed request is taken once, and a copy is refused, also after a restart', async () => {
  const { receive, restart, taken } = await open()
  expect(await receive(signed('one'))).toBe(202)
  expect(await receive(signed('one'))).toBe(409)
  expect(await receive(signed('one', { spelt: (hex) => hex.toUpperCase() }))).toBe(409)
  await restart()
  expect(await receive(signed('one'))).toBe(409)
  expect(await receive(signed('two'))).toBe(202)
  expect(taken).toEqual(['one', 'two'])
})

test('what is not signed by the holder of the secret, or at another time, is not let in', async () => {
  const { receive, clock, taken } = await open()
  expect(await receive(signed('x', { secret: 'another' }))).toBe(401)
  expect(await receive({ ...signed('x'), body: Buffer.from('y') } as HttpRequest)).toBe(401)
  expect(await receive({ ...signed('x'), headers: {} } as HttpRequest)).toBe(401)
  expect(await receive(signed('x', { spelt: (hex) => `${hex}zz` }))).toBe(401)
  expect(await receive(signed('x', { at: START + 301_000 }))).toBe(401)
  await clock.advance(301_000)
  expect(await receive(signed('x'))).toBe(401)
  expect(taken).toEqual([])
})

test('without a secret nothing is let in, not even what is signed with an empty one', async () => {
  for (const secret of [undefined, '']) {
    const { receive } = await open({ secret: () => secret })
    expect(await receive(signed('x', { secret: '' }))).toBe(401)
  }
  expect(isSameSecret('', '')).toBe(false)
  expect([isSameSecret('a', 'a'), isSameSecret('a', 'b')]).toEqual([true, false])
})

test('copies that arrive together are worked on once', async () => {
  const { receive, taken } = await open()
  const statuses = await Promise.all([1, 2, 3].map(() => receive(signed('one'))))
  expect(statuses.sort()).toEqual([202, 409, 409])
  expect(taken).toEqual(['one'])
})

test('what the handler did not take may come again', async () => {
  const { receive, replies, taken } = await open()
  replies.push({ status: 503, body: '' })
  expect([await receive(signed('one')), await receive(signed('one')), await receive(signed('one'))]).toEqual([
    ...[503, 202, 409],
  ])
  expect(taken).toEqual(['one', 'one'])
})

test('a service that signs no time is remembered for a day, and any one of several signatures is enough', async () => {
  const timeless: WebhookLockOptions['read'] = (request) => {
    const { time, given = [], ...content } = read(request) ?? { parts: [] }
    return { ...content, given: ['00', ...given] }
  }
  const { receive, clock } = await open({ read: timeless, replayed: () => ({ status: 200, body: 'known' }) })
  expect(await receive(signed('one'))).toBe(202)
  await clock.advance(86_399_000)
  expect(await receive(signed('one'))).toBe(200)
  await clock.advance(2000)
  expect(await receive(signed('one'))).toBe(202)
})

test.for(['hex', 'base64'] as const)('a signature in %s has to be whole', (encoding) => {
  const given = createHmac('sha1', 'k').update('ab').digest(encoding)
  const claim = { key: 'k', parts: ['a', Buffer.from('b')], encoding, algorithm: 'sha1' } as const
  expect(matchesSignature({ ...claim, given })).toBe(true)
  for (const wrong of [given.slice(0, -2), `${given} `, `!${given}`, ''])
    expect(matchesSignature({ ...claim, given: wrong })).toBe(false)
})
