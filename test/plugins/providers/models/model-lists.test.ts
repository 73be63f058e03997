import { setImmediate as round } from 'node:timers/promises'
import { Clock } from 'svc/sdk'
import { Caches } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ModelLists } from '../../../../plugins/providers/models/model-lists.ts'

/** Lists over the real caches; each `lists()` is another reader of them. */
async function open() {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['caches'], clock })
  onTestFinished(() => kernel.stop())
  const services: Record<string, unknown> = { [Clock.id]: clock, [Caches.id]: kernel.use(Caches) }
  return { clock, lists: () => new ModelLists({ use: ({ id }: { id: string }) => services[id] as never }) }
}

const one = { provider: 'groq', model: 'one' }
/** Where virtual clocks begin. */
const NOW = virtualClock().now()

test('what a server said is remembered, is fresh for an hour, and is forgotten after a month', async () => {
  const { clock, lists } = await open()
  const [first, second] = [lists(), lists()]
  expect(first.find(one)).toBeUndefined()
  await first.remember('groq', [{ id: 'one', contextWindow: 5 }])
  await first.remember('xai', [{ id: 'two' }])
  await round()
  expect(second.find(one)).toEqual({ model: { id: 'one', contextWindow: 5 }, fresh: true, at: NOW })
  expect(second.find({ provider: 'groq', model: 'two' })).toBeUndefined()
  await clock.advance(60 * 60_000)
  expect(second.find(one)).toMatchObject({ fresh: false })
  await first.remember('groq', [{ id: 'three' }])
  await round()
  expect(second.find(one)).toBeUndefined()
  await clock.advance(31 * 24 * 60 * 60_000)
  expect(second.find({ provider: 'groq', model: 'three' })).toBeUndefined()
})

test('an empty list says nothing and takes nothing away', async () => {
  const { lists } = await open()
  const all = lists()
  await all.remember('groq', [{ id: 'one' }])
  await all.remember('groq', [])
  expect(all.find(one)).toEqual({ model: { id: 'one' }, fresh: true, at: NOW })
})
