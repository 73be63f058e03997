import { expect, test } from 'vitest'
import { exists, read } from '../support/repository.ts'
import { mutations } from './list.ts'

const lists = mutations()
const all = [...lists.values()].flat()
const KILLED_SHARE = 0.9

test.for([...lists])('the mutations of %s fit the present sources', ([, list]) => {
  for (const { name, file, from, to, tests } of list) {
    expect({ name, found: read(file).split(from).length - 1 }).toEqual({ name, found: 1 })
    expect({ name, to }).not.toEqual({ name, to: from })
    expect({ name, missing: tests.filter((path) => !exists(path)) }).toEqual({ name, missing: [] })
    expect({ name, count: tests.length }).not.toEqual({ name, count: 0 })
  }
})

test('each mutation has its own name and says what it breaks', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(all.filter(({ breaks }) => breaks.length < 10)).toEqual([])
})

test('nine of ten mutations are noticed by a test', () => {
  const killed = all.filter(({ survives }) => survives !== true)
  expect(killed.length / all.length).toBeGreaterThanOrEqual(KILLED_SHARE)
})
