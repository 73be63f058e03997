import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiReport, declarations, entries, entryNames, publicNames, publicTags } from '../support/docs/api-report.ts'
import { forgottenExports } from '../support/docs/forgotten-exports.ts'
import { exists, filesBelow, read, root } from '../support/repository.ts'
import { exportedNames } from '../support/syntax.ts'

const MAX_FIRST_DAY = 130
const MAX_NAMES = 70
const MAX_ROOM_NAMES = 30
const file = 'sdk/api.txt'
const sdkEntries = ['sdk/index.ts', ...filesBelow('sdk/entries')]

test('the public interface is as announced in sdk/api.txt', () => {
  const report = apiReport()
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(root, file), report)
  const hint = 'The public interface changed. If that is meant, run "npm run docs" and say so in CHANGELOG.md.'
  expect(exists(file) ? read(file) : '', hint).toBe(report)
})

test(`svc/sdk stays small: at most ${MAX_FIRST_DAY} names for an author's first day, types included`, () => {
  const names = publicNames()['svc/sdk'] ?? []
  expect(names.length).toBeLessThanOrEqual(MAX_FIRST_DAY)
  expect(names.length).toBeGreaterThan(50)
})

test.for(entryNames)(`svc/sdk/%s stays small: at most ${MAX_NAMES} exported names, types included`, (name) => {
  const names = publicNames()[`svc/sdk/${name}`] ?? []
  expect(names.length).toBeLessThanOrEqual(MAX_NAMES)
  expect(names.length).toBeGreaterThan(7)
})

test('no name is exported by two entry points', () => {
  const all = sdkEntries.flatMap((file) => exportedNames(file))
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([])
})

test('every type in a public signature is exported by an entry point', () => {
  expect(forgottenExports(Object.values(entries))).toEqual([])
})

const isWriting = process.env['UPDATE_DOCS'] === '1'

// `npm run docs` writes what there is; this judges it.
test.skipIf(isWriting)('every public name says since which version it is public', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const known = ['@since 0.1', `@since ${version.replace(/\.\d+$/, '')}`]
  const wrong = Object.keys(entries).flatMap((entry) => {
    const names = [...publicTags(entry)]
    return names.filter(([, tags]) => !tags.some((tag) => known.includes(tag))).map(([name]) => `${entry} ${name}`)
  })
  expect(wrong, 'add "@since" with the version in package.json to the docstring').toEqual([])
})

test(`a room of the kit stays small: at most ${MAX_ROOM_NAMES} exported names`, () => {
  const rooms = Object.entries(publicNames()).filter(([entry]) => entry.includes('/kit/'))
  expect(rooms.length).toBeGreaterThan(2)
  expect(rooms.filter(([, list]) => list.length > MAX_ROOM_NAMES)).toEqual([])
})

test('the report shows a change of a declaration, not of a comment or of its place', () => {
  const text =
    'import type { A } from "./a.ts";\n/** Old. */\nexport interface B {\n    /** x */\n    a: A;\n}\nexport {};\n'
  const moved = 'import type { A } from "./a.ts";\nexport interface B {\n\n    a: A;\n}\n'
  expect(declarations('b.d.ts', text)).toEqual(['export interface B {\n    a: A;\n}'])
  expect(declarations('b.d.ts', moved)).toEqual(declarations('b.d.ts', text))
  expect(declarations('b.d.ts', text.replace('a: A', 'a?: A'))).not.toEqual(declarations('b.d.ts', text))
})
