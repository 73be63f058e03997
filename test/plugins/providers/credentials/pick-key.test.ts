import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Candidate, pick } from '../../../../plugins/providers/credentials/pick-key.ts'

const key = (id: string, requests = 0, leases = 0): Candidate => ({ id, requests, leases })
const nothing = { last: undefined, random: () => 0 }

test('fill_first stays with the first key, and takes another while that is in use', () => {
  expect(pick([key('a', 9), key('b')], 'fill_first', nothing).id).toBe('a')
  expect(pick([key('a', 0, 1), key('b')], 'fill_first', nothing).id).toBe('b')
  expect(pick([key('a', 0, 2), key('b', 0, 1)], 'fill_first', nothing).id).toBe('b')
})

test('round_robin continues behind the last key, round and round', () => {
  const keys = [key('a'), key('b'), key('c')] as const
  const next = (last?: string) => pick(keys, 'round_robin', { ...nothing, last }).id
  expect([next(), next('a'), next('b'), next('c'), next('gone')]).toEqual(['a', 'b', 'c', 'a', 'a'])
  expect(pick([key('a'), key('b', 0, 1), key('c')], 'round_robin', { ...nothing, last: 'a' }).id).toBe('c')
})

test('least_used takes the key with the fewest calls', () => {
  expect(pick([key('a', 3), key('b', 1), key('c', 2)], 'least_used', nothing).id).toBe('b')
})

test('any strategy picks one of the keys that are least in use', () => {
  const keys = fc.array(fc.record({ id: fc.string(), requests: fc.nat(9), leases: fc.nat(3) }), { minLength: 1 })
  const strategies = fc.constantFrom('fill_first', 'round_robin', 'least_used', 'random' as const)
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(keys, strategies, random, fc.string(), ([first, ...others], strategy, number, last) => {
      const all = [first as Candidate, ...others] as const
      const picked = pick(all, strategy as 'random', { last, random: () => number })
      expect(all).toContain(picked)
      expect(picked.leases).toBe(Math.min(...all.map(({ leases }) => leases)))
    }),
  )
})
