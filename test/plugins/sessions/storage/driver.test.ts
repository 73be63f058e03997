import { expect, test } from 'vitest'
import { connect, wrongBuild } from '../../../../plugins/sessions/storage/driver.ts'
import { root } from '../../../support/repository.ts'

test('after an upgrade of Node the message says what to rebuild', () => {
  const error = Object.assign(new Error('was compiled against a different Node.js version'), {
    code: 'ERR_DLOPEN_FAILED',
  })
  expect(wrongBuild(error)).toMatchObject({ code: 'STORAGE_DRIVER', cause: error })
  expect(wrongBuild(error)?.message).toContain(`npm rebuild better-sqlite3 --prefix ${root}`)
  expect(wrongBuild(error)?.message).toContain(process.version)
  expect(wrongBuild(new Error('disk full'))).toBeUndefined()
})

test('the driver opens a database in memory', () => {
  const connection = connect(':memory:')
  expect(connection.prepare('SELECT 1 AS one').get()).toEqual({ one: 1 })
  connection.close()
})
