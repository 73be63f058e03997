import dns from 'node:dns'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Net, type NetRequest } from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { SafeFetch } from 'svc/sdk/web'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AddressGuard } from '../../../../plugins/safety/address-guard/guard.ts'

let server: http.Server
let base: string
let seen: { method: string; path: string; headers: http.IncomingHttpHeaders }[]
let kernel: TestKernel
const strict = { allowPrivate: false, mask: (text: string) => text }
const noBlocklist = { problem: async () => undefined }

/** `/to?<address>` redirects there, `/loop` to itself, everything else says its path. */
beforeEach(async () => {
  seen = []
  server = http.createServer((request, response) => {
    const { url: path = '/', method = '', headers } = request
    seen.push({ method, path, headers })
    const location = path.startsWith('/to?')
      ? decodeURIComponent(path.slice(4))
      : path === '/loop'
        ? '/loop'
        : undefined
    if (location === undefined) response.end(`this is ${path}`)
    else response.writeHead(302, { location }).end('moved')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  vi.restoreAllMocks()
  await kernel.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function guardWith(security: object = {}): Promise<SafeFetch> {
  kernel = await testKernel({ plugins: ['address-guard'], config: { security } })
  return kernel.use(SafeFetch)
}

/** A guard on a network in which `public.example` is a public machine: our server. */
async function guardOnPublicNet(): Promise<AddressGuard> {
  kernel = await testKernel()
  const real = kernel.use(Net)
  const request = ({ allowAddress, ...asked }: NetRequest) => {
    const isPublic = new URL(asked.url).hostname === 'public.example'
    const url = isPublic ? asked.url.replace(/^\w+:\/\/[^/]+/, base) : asked.url
    return real.request({ ...asked, url, ...(isPublic || !allowAddress ? {} : { allowAddress }) })
  }
  return new AddressGuard({ net: () => ({ request }), blocklist: noBlocklist, rule: strict })
}

test('an address of this machine is refused before it is asked, and asked once the user allows it', async () => {
  const guard = await guardWith()
  await expect(guard.request({ url: `${base}/x` })).rejects.toMatchObject({ code: 'URL_FORBIDDEN' })
  await expect(guard.check(`${base}/x`)).rejects.toMatchObject({ code: 'URL_FORBIDDEN' })
  expect(seen).toEqual([])
  await kernel.stop()
  const lenient = await guardWith({ allow_private_urls: true })
  await lenient.check(`${base}/x`)
  const answer = await lenient.request({ url: `${base}/x` })
  expect([answer.status, answer.url, await answer.text()]).toEqual([200, `${base}/x`, 'this is /x'])
})

test('redirects are followed, and the last address is told', async () => {
  const guard = await guardWith({ allow_private_urls: true })
  const answer = await guard.request({ url: `${base}/to?/to%3F/end`, method: 'POST', body: 'x' })
  expect([answer.url, await answer.text()]).toEqual([`${base}/end`, 'this is /end'])
  expect(seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET'])
})

test('a public page that redirects to this machine gets nowhere', async () => {
  const guard = await guardOnPublicNet()
  const end = await guard.request({ url: 'http://public.example/to?http://public.example/end' })
  expect(await end.text()).toBe('this is /end')
  seen.length = 0
  for (const to of [
    `${base}/inside`,
    'http://2130706433/',
    'file:///etc/passwd',
    'http://u:p@public.example/',
    'http://[x',
  ])
    await expect(guard.request({ url: `http://public.example/to?${encodeURIComponent(to)}` })).rejects.toMatchObject({
      code: 'URL_FORBIDDEN',
    })
  expect(seen.map(({ path }) => path.slice(0, 4))).toEqual(Array(5).fill('/to?'))
})

test('credentials stay with the origin they were meant for', async () => {
  const guard = await guardWith({ allow_private_urls: true })
  const headers = { Authorization: 'Bearer t', Cookie: 'c=1', Accept: 'text/html' }
  const other = base.replace('127.0.0.1', 'localhost')
  const answer = await guard.request({ url: `${other}/to?${base}/end`, headers })
  answer.close()
  expect(seen.map((request) => request.headers.authorization)).toEqual(['Bearer t', undefined])
  expect(seen.at(-1)?.headers).toMatchObject({ accept: 'text/html' })
  expect(seen.at(-1)?.headers.cookie).toBeUndefined()
})

test('ten redirects are enough', async () => {
  const guard = await guardWith({ allow_private_urls: true })
  await expect(guard.request({ url: `${base}/loop` })).rejects.toThrow('more than ten times')
  expect(seen).toHaveLength(11)
})

test('metadata stays out of reach through a redirect even when private addresses are allowed', async () => {
  const guard = await guardWith({ allow_private_urls: true })
  await expect(guard.request({ url: `${base}/to?http://169.254.169.254/latest/` })).rejects.toThrow(
    'keys of this machine',
  )
})

test('a name that turns into a private address after the check is stopped when it is connected to', async () => {
  kernel = await testKernel()
  const guard = new AddressGuard({
    net: () => kernel.use(Net),
    blocklist: noBlocklist,
    rule: strict,
    lookup: async () => [{ address: '93.184.216.34' }],
  })
  const url = `http://rebind.example:${new URL(base).port}/`
  await guard.check(url)
  vi.spyOn(dns, 'lookup').mockImplementation(((_name: string, _options: object, done: (...args: unknown[]) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])) as unknown as typeof dns.lookup)
  await expect(guard.request({ url })).rejects.toMatchObject({
    code: 'URL_FORBIDDEN',
    message: expect.stringContaining('127.0.0.1 is private'),
  })
  expect(seen).toEqual([])
})

test('a name is refused when no one knows it, and when one of its addresses is private', async () => {
  kernel = await testKernel()
  const known: Record<string, string[]> = { 'both.example': ['93.184.216.34', '10.0.0.7'], 'none.example': [] }
  const lookup = async (host: string) => {
    const found = known[host]
    if (!found) throw new Error('ENOTFOUND')
    return found.map((address) => ({ address }))
  }
  const guard = new AddressGuard({ net: () => kernel.use(Net), blocklist: noBlocklist, rule: strict, lookup })
  await expect(guard.check('https://both.example/')).rejects.toThrow('10.0.0.7 is private')
  await expect(guard.check('https://none.example/')).rejects.toThrow('no such host')
  await expect(guard.check('https://unknown.example/')).rejects.toThrow('no such host')
})
