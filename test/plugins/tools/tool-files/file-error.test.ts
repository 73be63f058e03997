import { SvcError } from 'svc/sdk'
import { expect, test } from 'vitest'
import { fileError } from '../../../../plugins/tools/tool-files/file-error.ts'

test.each([
  ['ENOSPC', 'FILE_NO_SPACE', 'disk is full'],
  ['EDQUOT', 'FILE_NO_SPACE', 'quota'],
  ['EACCES', 'FILE_NO_RIGHTS', 'rights'],
  ['EROFS', 'FILE_NO_RIGHTS', 'read-only'],
  ['ENAMETOOLONG', 'FILE_BAD_PATH', 'too long'],
  ['EIO', 'FILE_FAILED', 'went wrong'],
])('%s is said in words, with the path', (code, expected, words) => {
  const error = fileError(Object.assign(new Error('went wrong'), { code }), '/a/b\n.txt')
  expect(error).toMatchObject({ code: expected, message: expect.stringContaining(words) })
  expect(error.message).toContain('"/a/b\\n.txt"')
})

test('errors that say already what happened pass unchanged', () => {
  const error = new SvcError('FILE_BINARY', 'It is a picture.')
  expect(fileError(error, '/a')).toBe(error)
})
