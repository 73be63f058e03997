/** Errors of the file system, said for people, with names that were perhaps meant. */
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import { showName } from './paths.ts'

const MAX_NAMES = 5000
const MAX_SHOWN = 3

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
  ENXIO: ['FILE_NOT_REGULAR', 'is a device, pipe or socket; only ordinary files are used'],
  ESTALE: [
    'FILE_CHANGED',
    'was changed by another program at this moment; nothing was written. Read it again and repeat the change',
  ],
  ENOTRECOVERABLE: [
    'FILE_HALF_DONE',
    'could not be changed, and taking back what was done failed, too. Old contents are beside them, in files .svc-*.tmp',
  ],
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

/** Names in a folder; undefined when it cannot be read. */
export type ListNames = (folder: string) => Promise<readonly string[] | undefined>

const listHere: ListNames = (folder) => readdir(folder).catch(() => undefined)

/** Throws the error for a path that could not be found, with names that were perhaps meant. */
export async function missing(error: unknown, path: string, list = listHere): Promise<never> {
  const said = fileError(error, path)
  if (said.code !== 'FILE_NOT_FOUND') throw said
  throw new SvcError(said.code, `${said.message} ${await suggest(path, list)}`.trimEnd(), { cause: error })
}

/** A sentence with names near to one that does not exist, or about the first folder on the way that does not. */
async function suggest(path: string, list: ListNames): Promise<string> {
  const folder = dirname(path)
  if (folder === path) return ''
  const names = await list(folder)
  if (names === undefined) {
    const above = await suggest(folder, list)
    return above === '' ? '' : `The folder ${showName(folder)} does not exist or cannot be read. ${above}`
  }
  const near = await findNearest(basename(path), names.slice(0, MAX_NAMES))
  if (near.length > 0) return `Similar: ${near.map((name) => showName(join(folder, name))).join(', ')}.`
  return `${showName(folder)} holds ${names.length === 0 ? 'nothing' : 'nothing similar'}.`
}

async function findNearest(wanted: string, names: readonly string[]): Promise<string[]> {
  const { distance } = await import('fastest-levenshtein')
  const key = simplifyName(wanted)
  return names
    .map((name) => ({ name, distance: simplifyName(name) === key ? 0 : distance(simplifyName(name), key) }))
    .filter(
      ({ name, distance: far }) => far <= Math.max(1, Math.floor(key.length / 3)) || isVariant(simplifyName(name), key),
    )
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SHOWN)
    .map(({ name }) => name)
}

/** `README` for `README.md`, `scr` for `src`. */
function isVariant(name: string, key: string): boolean {
  const letters = (text: string) => [...text].sort().join('')
  return key.length >= 3 && (name.startsWith(`${key}.`) || key.startsWith(`${name}.`) || letters(name) === letters(key))
}

/** Without case, accents' encoding, and the many kinds of spaces and dashes. */
function simplifyName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_]+/gu, ' ')
    .replace(/\p{Pd}/gu, '-')
}
