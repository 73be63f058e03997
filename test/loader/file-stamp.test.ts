import { renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStamp } from '../../loader/file-stamp.ts'
import { temporaryFolder } from '../support/temporary.ts'

test.skipIf(process.platform === 'win32')(
  'a change of a file changes its stamp, also one that sets the time back',
  () => {
    const file = join(temporaryFolder(), 'x')
    writeFileSync(file, 'one')
    const later = () => readStamp(statSync(file, { bigint: true }), Date.now() + 5000)
    const { atime, mtime } = statSync(file)
    const before = later()
    expect(before).toBeDefined()
    expect(later()).toBe(before)
    const copy = `${file}.new`
    writeFileSync(copy, 'two')
    utimesSync(copy, atime, mtime)
    renameSync(copy, file)
    expect(later()).not.toBe(before)
  },
)

test('a file that was changed less than two seconds ago, or in the future, has no stamp', () => {
  const file = join(temporaryFolder(), 'x')
  writeFileSync(file, 'one')
  const stat = statSync(file, { bigint: true })
  expect(readStamp(stat, Number(stat.ctimeMs) + 1900)).toBeUndefined()
  expect(readStamp(stat, Number(stat.ctimeMs) - 60_000)).toBeUndefined()
})
