/** Runs npm and git, and tells their failures apart. */
import { errorMessage, SvcError } from 'svc/sdk'
import { type ChildOptions, type ChildRun, runChild } from 'svc/sdk/kit/process'

/** A build takes a while on a small machine. */
const LIMIT_MS = 1_800_000

/** Returns what it printed. Throws `UPDATE_SOURCE` with what it complained of. */
export async function runTool(
  program: 'npm' | 'git',
  words: readonly string[],
  run: ChildRun,
  options: ChildOptions,
): Promise<string> {
  const result = await runChild(program, words, run, { timeoutMs: LIMIT_MS, ...options }).catch((cause: unknown) => {
    run.signal.throwIfAborted()
    const message = `${program} could not be started: ${errorMessage(cause)}. Install ${program}, then update again.`
    throw new SvcError('UPDATE_SOURCE', message, { cause })
  })
  if (result.code === 0) return result.out
  const reason =
    result.timedOutAfterMs === undefined
      ? findReason(result.err || result.out)
      : `it took longer than ${result.timedOutAfterMs / 1000} s`
  throw new SvcError(
    'UPDATE_SOURCE',
    `${program} ${findCommand(words)} failed: ${reason}. The installed version is in use.`,
  )
}

/** What it said went wrong, without the decoration of npm. */
function findReason(said: string): string {
  const lines = said.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
  const telling = lines.filter((line) => line !== '' && !/^(code |errno |syscall |path |A complete log)/.test(line))
  return (telling.slice(0, 3).join(' ') || 'it said nothing').replace(/\.$/, '').slice(0, 800)
}

/** The word after the options of the program itself. */
function findCommand(words: readonly string[]): string {
  return words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '-c') ?? ''
}
