import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as round } from 'node:timers/promises'
import { Caches } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { type RedisServer, startRedisServer } from '../../../support/redis-server.ts'

const options = {
  name: 'capitals',
  ttlMs: 60_000,
  isValue: (value: unknown): value is string => typeof value === 'string',
}

/** One process with this cache; several may share a home. */
async function open(more: Parameters<typeof testKernel>[0] = {}) {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['caches'], clock, ...more })
  onTestFinished(() => kernel.stop())
  return { kernel, clock, file: join(kernel.home, 'cache', 'capitals.json'), cache: kernel.use(Caches).open(options) }
}

async function redis(): Promise<RedisServer> {
  const server = await startRedisServer()
  onTestFinished(() => server.close())
  return server
}

test('what one process keeps in a file another one reads, until it is too old or deleted', async () => {
  const first = await open()
  const second = await open({ home: first.kernel.home })
  expect(first.cache.peek('Peru')).toBeUndefined()
  await first.cache.set('Peru', 'Lima')
  await first.cache.set('Chile', 'Santiago')
  await round()
  expect([second.cache.peek('Peru'), await second.cache.get('Chile')]).toEqual(['Lima', 'Santiago'])
  await second.cache.delete('Chile')
  await round()
  expect([first.cache.peek('Peru'), first.cache.peek('Chile')]).toEqual(['Lima', undefined])
  await first.clock.advance(60_000)
  expect(first.cache.peek('Peru')).toBeUndefined()
})

test.for(['not json', 'null', '[]', '{"Peru":7,"Chile":{"value":"Santiago"}}', '{"Peru":{"value":{},"expires":9e15}}'])(
  'a file of a cache that holds %s is as good as empty, and is written over',
  async (text) => {
    const { cache, file, kernel } = await open()
    mkdirSync(join(kernel.home, 'cache'), { recursive: true })
    writeFileSync(file, text)
    expect([cache.peek('Peru'), cache.peek('Chile')]).toEqual([undefined, undefined])
    await cache.set('Peru', 'Lima')
    expect(cache.peek('Peru')).toBe('Lima')
  },
)

test('a cache that cannot be written forgets, and does no harm', async () => {
  const { cache, kernel, file } = await open()
  mkdirSync(file, { recursive: true })
  await cache.set('Peru', 'Lima')
  expect(await cache.get('Peru')).toBeUndefined()
  expect(kernel.problems()).toEqual([])
})

test('a cache holds a thousand values, the newest', async () => {
  const { cache, clock, file, kernel } = await open()
  const until = clock.now() + 1000
  const old = Array.from({ length: 1000 }, (_, at) => [`key ${at}`, { value: 'value', expires: until + at }])
  mkdirSync(join(kernel.home, 'cache'), { recursive: true })
  writeFileSync(file, JSON.stringify(Object.fromEntries(old)))
  await cache.set('key 1000', 'value')
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toHaveLength(1000)
  expect([cache.peek('key 0'), cache.peek('key 1000')]).toEqual([undefined, 'value'])
})

test('a Redis server stands in for the files by configuration alone, and is shared', async () => {
  const server = await redis()
  const config = { caches: { url: server.url } }
  const [first, second] = [await open({ config }), await open({ config })]
  await first.cache.set('Peru', 'Lima')
  expect(first.cache.peek('Peru')).toBe('Lima')
  expect(second.cache.peek('Peru')).toBeUndefined()
  await second.cache.warm('Peru')
  expect(second.cache.peek('Peru')).toBe('Lima')
  expect(server.keys()).toEqual([expect.stringMatching(/svc-capitals.*Peru/)])
  await second.cache.delete('Peru')
  expect([await first.cache.get('Peru'), first.cache.peek('Peru')]).toEqual([undefined, undefined])
  await Promise.all([first.kernel.stop(), second.kernel.stop()])
})

test('what another version wrote at the server is no value', async () => {
  const config = { caches: { url: (await redis()).url } }
  const [older, newer] = [await open({ config }), await open({ config })]
  const numbers = {
    ...options,
    name: 'heights',
    isValue: (value: unknown): value is number => typeof value === 'number',
  }
  await older.kernel
    .use(Caches)
    .open({ ...options, name: 'heights' })
    .set('Peru', 'high')
  expect(await newer.kernel.use(Caches).open(numbers).get('Peru')).toBeUndefined()
})

test('a server that does not answer is not waited for', async () => {
  const server = await redis()
  const { cache, clock } = await open({ config: { caches: { url: server.url } } })
  await cache.set('Peru', 'Lima')
  server.fallSilent()
  const asked = cache.get('Chile')
  for (let at = 0; at < 3; at++) {
    await round()
    await clock.advance(1000)
  }
  expect(await asked).toBeUndefined()
})

test.for(['memcached://127.0.0.1:1', 'valkey://127.0.0.1:1', 'postgresql://127.0.0.1/svc'])(
  'files stand in for %s, which cannot be used here',
  async (url) => {
    const { cache, file } = await open({ env: { SVC_CACHES_URL: url } })
    await cache.set('Peru', 'Lima')
    expect(await cache.get('Peru')).toBe('Lima')
    expect(readFileSync(file, 'utf8')).toContain('Lima')
  },
)
