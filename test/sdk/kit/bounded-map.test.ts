import { setBounded } from 'svc/sdk/kit/state'
import { expect, test } from 'vitest'

test('a bounded map drops the entry that was set longest ago', () => {
  const map = new Map<string, number>()
  for (const [at, key] of ['a', 'b', 'a', 'c', 'd'].entries()) setBounded(map, key, at, 3)
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
    ['d', 4],
  ])
})
