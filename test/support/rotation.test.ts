import { expect, test } from 'vitest'
import { listResting } from './rotation.ts'

const files = [
  'test/faults/a.test.ts',
  'test/faults/b.test.ts',
  'test/plugins/x/y/c.test.ts',
  'test/scenarios/d.test.ts',
]

test('each file rests on one of two days in a row, whatever order the files come in', () => {
  const [even, odd] = [listResting(files, 2, []), listResting(files.toReversed(), 3, [])]
  expect([...even, ...odd].toSorted()).toEqual(files)
  expect(even).toHaveLength(2)
  expect(listResting(files, 4, [])).toEqual(even)
})

test('a file runs when it, one next to it, or the folder that it mirrors was changed', () => {
  const resting = (...changed: string[]) => [...listResting(files, 2, changed), ...listResting(files, 3, changed)]
  expect(resting('plugins/x/y/index.ts')).not.toContain('test/plugins/x/y/c.test.ts')
  expect(resting('test/plugins/x/y/support.ts')).not.toContain('test/plugins/x/y/c.test.ts')
  expect(resting('plugins/x/yes/index.ts')).toContain('test/plugins/x/y/c.test.ts')
  expect(resting('test/faults/a.test.ts').toSorted()).toEqual(files.slice(1))
})
