/** Errors of the file system, said for people. */
import { errorMessage, SvcError } from 'svc/sdk'
import { showName } from './paths.ts'

const SENTENCES: Readonly<Record<string, readonly [code: string, sentence: string]>> = {
  ENOENT: ['FILE_NOT_FOUND', 'does not exist'],
  EISDIR: ['FILE_IS_FOLDER', 'is a folder'],
  ENOTDIR: ['FILE_NOT_A_FOLDER', 'leads through a file as if it were a folder'],
  EEXIST: ['FILE_NOT_A_FOLDER', 'leads through a file as if it were a folder'],
  EACCES: ['FILE_NO_RIGHTS', 'may not be touched: its rights or those of its folder forbid it'],
  EPERM: ['FILE_NO_RIGHTS', 'may not be touched: the system forbids it'],
  EROFS: ['FILE_NO_RIGHTS', 'is on a read-only file system'],
  ENOSPC: ['FILE_NO_SPACE', 'cannot be written: the disk is full'],
  EDQUOT: ['FILE_NO_SPACE', 'cannot be written: the quota is used up'],
  ELOOP: ['FILE_BAD_PATH', 'leads through links that go round in a circle'],
  ENAMETOOLONG: ['FILE_BAD_PATH', 'has a name that is too long for the file system'],
}

/** The error to throw for one that came from `node:fs`; errors of our own pass unchanged. */
export function fileError(error: unknown, path: string): SvcError {
  if (error instanceof SvcError) return error
  const [code, sentence] = SENTENCES[(error as NodeJS.ErrnoException).code ?? ''] ?? [
    'FILE_FAILED',
    `could not be used: ${errorMessage(error)}`,
  ]
  return new SvcError(code, `${showName(path)} ${sentence}.`, { cause: error })
}
