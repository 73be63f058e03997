import { execFileSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { explain } from '../../../../plugins/sessions/storage/storage-errors.ts'
import { temporaryFolder } from './support.ts'

const failed = (code: string) => Object.assign(new Error('disk I/O error'), { code })

test('an error of the disk is no lack of room where there is some', () => {
  const said = explain(join(temporaryFolder(), 'a.db'), failed('SQLITE_IOERR_SHMSIZE')) as Error
  expect(said.message).toContain('that the disk works')
})

test('on a full disk even an error that names no reason says that it is full', ({ skip }) => {
  const folder = temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'none', folder], { stdio: 'ignore' })
  } catch {
    skip('a small file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(bavail * bsize))
  const said = explain(join(folder, 'a.db'), failed('SQLITE_IOERR_SHMSIZE')) as Error
  expect(said.message).toContain('The disk is full: free some space')
})
