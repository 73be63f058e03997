/** What git has changed, without files that hold secrets. */
import { errorCode } from 'svc/sdk'
import { type ProgramEnd, runProgram } from 'svc/sdk/kit/process'
import type { GuardedFiles } from 'svc/sdk/safety'
import { failProgram } from './program-failure.ts'

/** What is asked of git. */
export interface GitQuestion {
  readonly cwd: string
  /** `staged`: will be committed; `diff`: other changes. */
  readonly what: 'diff' | 'staged'
  readonly path: string
  readonly home: string | undefined
  readonly files: GuardedFiles
  readonly signal: AbortSignal
  readonly maxBytes: number
}

/** A diff, and the files that it does not show. */
export interface GitDiff extends ProgramEnd {
  readonly left: readonly string[]
}

/** More are named, not shown. */
const MAX_FILES = 300
const MAX_NAMES = 2 * 2 ** 20

/** Throws `MENTION_PROGRAM`: no repository, no git. */
export async function gitDiff(question: GitQuestion): Promise<GitDiff> {
  const root = (await git(question, ['rev-parse', '--show-toplevel'], MAX_NAMES)).output.trimEnd()
  const names = (await git(question, [...diffArgs(question), '--name-status', '-z'], MAX_NAMES)).output.split('\0')
  const changed = names.flatMap((status, index) =>
    index % 2 === 0 && status !== '' ? [[status, names[index + 1] ?? ''] as const] : [],
  )
  const shown: string[] = []
  const left: string[] = []
  for (const [status, name] of changed)
    if (shown.length < MAX_FILES && (status === 'D' || (await mayBeRead(name, root, question.files)))) shown.push(name)
    else left.push(name)
  if (shown.length === 0) return { output: '', cut: false, left }
  const paths = shown.map((name) => `:(top,literal)${name}`)
  return { ...(await git(question, [...diffArgs(question), '--', ...paths], question.maxBytes)), left }
}

/** For a deleted file only the deletion is shown: its content may have been secret, and a missing file cannot be checked. */
function diffArgs({ what }: GitQuestion): readonly string[] {
  const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--irreversible-delete']
  return what === 'staged' ? [...args, '--cached'] : args
}

function git({ cwd, path, home, signal }: GitQuestion, args: readonly string[], maxBytes: number): Promise<ProgramEnd> {
  return runProgram({
    owner: 'mentions',
    fail: failProgram,
    program: 'git',
    // A repository may name a program to be run at every look at it.
    args: ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', ...args],
    cwd,
    environment: { PATH: path, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C', ...(home !== undefined && { HOME: home }) },
    signal,
    maxBytes,
  })
}

async function mayBeRead(name: string, root: string, files: GuardedFiles): Promise<boolean> {
  try {
    await files.readable(`${root}/${name}`, root)
    return true
  } catch (error) {
    if (errorCode(error) === 'INTERNAL') throw error
    return false
  }
}
