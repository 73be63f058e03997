import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bestMatches, scoreMatch } from '../../../../plugins/agent/mentions/match-paths.ts'

const best = (query: string, ...paths: readonly string[]) =>
  bestMatches(query, { paths, lower: paths.map((path) => path.toLowerCase()) }, 3)

test('the name counts more than its folders, and the beginning of a word more than its middle', () => {
  expect(best('edit', 'editor/rows.ts', 'src/credit.ts', 'src/edit.ts')[0]).toBe('src/edit.ts')
  expect(best('ch', 'src/watch.ts', 'src/chat.ts')[0]).toBe('src/chat.ts')
  expect(best('tcs', 'tests.ts', 'tui/composer-stage.ts')).toEqual(['tui/composer-stage.ts'])
})

test('letters may be left out but not be in another order, and their case does not count', () => {
  expect(best('rdme', 'README.md')).toEqual(['README.md'])
  expect(best('SRC/ed', 'src/editor.ts')).toEqual(['src/editor.ts'])
  expect(best('emdr', 'README.md')).toEqual([])
})

test('letters that were left out of a path always find it', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: fc.constantFrom(...'abc/._') }),
      fc.infiniteStream(fc.boolean()),
      (path, keep) => {
        const wanted = [...path].filter(() => keep.next().value).join('')
        expect(scoreMatch(wanted, path)).toEqual(expect.any(Number))
      },
    ),
  )
})

test('the best of fifty thousand are those that sorting all of them gives', () => {
  const paths = Array.from({ length: 50_000 }, (_, index) => `folder-${index % 97}/part-${index % 13}/file-${index}.ts`)
  const sorted = paths
    .map((path) => ({ path, points: scoreMatch('f42', path) ?? Number.NEGATIVE_INFINITY }))
    .sort((one, two) => two.points - one.points || (one.path < two.path ? -1 : 1))
  expect(bestMatches('f42', { paths, lower: paths }, 30)).toEqual(sorted.slice(0, 30).map(({ path }) => path))
})
