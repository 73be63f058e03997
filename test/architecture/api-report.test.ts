import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiReport, declarations, publicNames } from '../support/docs/api-report.ts'
import { exists, read, root } from '../support/repository.ts'

const MAX_NAMES = 595
const MAX_ROOM_NAMES = 30
const file = 'sdk/api.txt'

test('the public interface is as announced in sdk/api.txt', () => {
  const report = apiReport()
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(root, file), report)
  const hint = 'The public interface changed. If that is meant, run "npm run docs" and say so in CHANGELOG.md.'
  expect(exists(file) ? read(file) : '', hint).toBe(report)
})

test(`what plugin authors have to know stays small: at most ${MAX_NAMES} exported names, types included`, () => {
  const names = Object.entries(publicNames()).flatMap(([entry, list]) => (entry.includes('/kit/') ? [] : list))
  expect(names.length).toBeLessThanOrEqual(MAX_NAMES)
  expect(names.length).toBeGreaterThan(50)
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
