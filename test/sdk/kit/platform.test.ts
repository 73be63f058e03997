/** Services that give a token for a while, and those that refuse with a status that says "OK". */
import { Net } from 'svc/sdk'
import { PlatformApi, type PlatformApiOptions } from 'svc/sdk/kit/platform'
import { type ServiceRequest, StandInServer } from 'svc/sdk/kit/stand-in'
import { classifyDeliveryError } from 'svc/sdk/platform'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const done = z.object({ done: z.literal(true) })
const token = z
  .object({ token: z.string(), seconds: z.number() })
  .transform((answer) => ({ token: answer.token, lifetimeMs: answer.seconds * 1000 }))

/** A service whose tokens are numbers; it takes the newest only. */
async function openService(
  changes: Partial<PlatformApiOptions> = {},
  answer = (_: ServiceRequest): object => ({}),
  seconds = 7200,
) {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: [] })
  onTestFinished(() => kernel.stop())
  const seen = { given: 0, asked: [] as string[], down: false }
  const service = await StandInServer.open((request) => {
    const { path, headers } = request
    if (path === '/token') {
      if (seen.down) return { status: 500, body: 'maintenance' }
      seen.given += 1
      return { body: { token: String(seen.given), seconds } }
    }
    const given = headers['authorization'] ?? ''
    seen.asked.push(given)
    if (given !== `Bearer ${seen.given}`) return { body: { code: 99, why: 'token expired' } }
    return { body: { code: 0, done: true, ...answer(request) } }
  })
  onTestFinished(() => service.close())
  const losses: string[] = []
  const api = new PlatformApi({
    label: 'Service',
    baseUrl: service.url,
    headers: (value) => ({ authorization: `Bearer ${value}` }),
    token: () => ({ path: '/token', json: { secret: 's' }, answer: token }),
    isRefusal: ({ json }) => z.object({ code: z.number().min(1) }).safeParse(json).success,
    refusal: ({ json }) => {
      const { code, why = '' } = z.object({ code: z.number(), why: z.string().optional() }).parse(json)
      return { reason: why, ...(code === 99 && { kind: 'expired' as const }) }
    },
    onLogOut: ({ message }) => losses.push(message),
    net: () => kernel.use(Net),
    clock: () => clock,
    ...changes,
  })
  const ask = () => api.ask({ path: '/send', json: {}, answer: done })
  return { clock, seen, losses, api, ask, url: service.url }
}

test('a token is asked for once, used by all, and renewed before its end', async () => {
  const { clock, seen, ask } = await openService()
  await Promise.all([ask(), ask(), ask()])
  expect(seen.given).toBe(1)
  await clock.advance(7200_000 - 61_000)
  await ask()
  expect(seen.given).toBe(1)
  await clock.advance(2000)
  await Promise.all([ask(), ask()])
  expect(seen.given).toBe(2)
})

test('one whose life is over when it comes is used once, and not asked for in a circle', async () => {
  const { seen, ask } = await openService({}, () => ({}), 0)
  expect(await ask()).toEqual({ done: true })
  expect(seen.given).toBeLessThan(3)
})

test('a token that expires during a send is renewed, and the request made once more', async () => {
  const { seen, losses, ask } = await openService()
  await ask()
  seen.given += 1
  expect(await ask()).toEqual({ done: true })
  expect(seen.asked).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 3'])
  expect(losses).toEqual([])
})

test('requests at the same time whose token expired wait for one new token', async () => {
  const { seen, ask } = await openService()
  await ask()
  seen.given += 1
  await Promise.all([ask(), ask(), ask()])
  expect(seen.given).toBe(3)
})

test('a new token that is refused, too, ends the connection', async () => {
  const { seen, losses, ask } = await openService({ headers: () => ({ authorization: 'Bearer wrong' }) })
  const error = await ask().catch((cause: unknown) => cause)
  expect(error).toMatchObject({ code: 'PLATFORM_UNAUTHORIZED' })
  expect(seen.asked).toHaveLength(2)
  expect(losses).toEqual(['Service does not accept the account: token expired.'])
})

test('without a token nothing was sent, whatever went wrong with it, and the next request asks again', async () => {
  const { seen, ask } = await openService()
  seen.down = true
  const error = await ask().catch((cause: unknown) => cause)
  expect(classifyDeliveryError(error).kind).toBe('busy')
  expect(seen.asked).toEqual([])
  seen.down = false
  expect(await ask()).toEqual({ done: true })
})

test('a refusal with the status 200 is one, for good unless the service says otherwise', async () => {
  const { ask } = await openService({}, () => ({ code: 7, why: 'no such chat' }))
  const error = await ask().catch((cause: unknown) => cause)
  expect(classifyDeliveryError(error)).toEqual({ kind: 'refused' })
  expect(String(error)).toContain('no such chat')
})

test('a token in the query goes to its own address only', async () => {
  const addresses: string[] = []
  const { api, url } = await openService(
    { headers: () => ({ authorization: 'Bearer 1' }), query: (value) => ({ access_token: value }) },
    ({ path, query }) => {
      addresses.push(`${path}?${query}`)
      return {}
    },
  )
  await api.ask({ path: '/send?to=a', json: {}, answer: done })
  const options = { origins: [url], maxBytes: 1000, signal: new AbortController().signal }
  await api.fetch(`${url}/file`, options)
  expect(addresses).toEqual(['/send?to=a&access_token=1', '/file?access_token=1'])
  await expect(api.fetch('http://10.0.0.1/file', options)).rejects.toMatchObject({ code: 'PLATFORM_MEDIA' })
})
