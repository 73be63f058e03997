import { setImmediate as round } from 'node:timers/promises'
import { memoizePerTick } from 'svc/sdk/kit/async'
import { expect, test } from 'vitest'

test('a look at the outside is taken once for each key in a round of the event loop, and again in the next', async () => {
  const asked: string[] = []
  const look = memoizePerTick((key: string) => {
    asked.push(key)
    return key === 'nothing' ? undefined : asked.length
  })
  expect([look('a'), look('b'), look('a'), look('nothing'), look('nothing')]).toEqual([1, 2, 1, undefined, undefined])
  await Promise.resolve()
  expect(look('a')).toBe(1)
  await round()
  expect(look('a')).toBe(4)
  expect(asked).toEqual(['a', 'b', 'nothing', 'a'])
})

test('a look that fails is taken again', () => {
  let tries = 0
  const look = memoizePerTick(() => {
    if (++tries === 1) throw new Error('not yet')
    return tries
  })
  expect(() => look('a')).toThrow('not yet')
  expect([look('a'), look('a')]).toEqual([2, 2])
})
