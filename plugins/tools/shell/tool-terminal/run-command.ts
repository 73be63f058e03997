/** One call of the tool `terminal`: checks what was asked, runs it in the session's shell, reports how it went. */
import { homedir, tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import type { SandboxNeed } from 'svc/sdk/shell'
import { Capture } from './capture.ts'
import { LONGEST_SECONDS } from './config.ts'
import { Progress } from './progress.ts'
import { report } from './report.ts'
import type { Loan } from './shells.ts'
import { canEnter } from './start-shell.ts'
import type { TerminalDeps, TerminalInput } from './tools.ts'

/** Of what a command writes, in bytes. */
export const OUTPUT_LIMIT = 50_000

/** Runs a command. One that fails is a result; one that cannot be run throws a `TERMINAL_...` error. */
export async function runCommand(input: TerminalInput, turn: ToolContext, deps: TerminalDeps): Promise<ToolResult> {
  const seconds = checkedSeconds(input, deps.config.timeout)
  const [{ shells, background }, confining] = await Promise.all([deps.open(), deps.confining()])
  const needs = confining.getNeeds(input)
  const work = async (loan: Loan) => {
    await confining.hold(input, loan.shell.wrapped, async () => {
      await loan.shell.kill()
      await background.places.drop(turn.sessionId)
    })
    return runOnLoan({ command: input.command, seconds, workdir: input.workdir, needs }, loan, turn, deps)
  }
  return shells.lend(turn.sessionId, turn.cwd, work, needs)
}

/** The seconds it gets. Throws when the input cannot be served: `TERMINAL_BAD_COMMAND`, `..._BAD_OPTIONS`, `..._TOO_LONG`. */
export function checkedSeconds(input: TerminalInput, usual: number): number {
  if (input.command.includes('\0')) {
    throw new SvcError('TERMINAL_BAD_COMMAND', 'The command holds a NUL character, which no shell can take.')
  }
  const { background, notify_on_complete: notify, watch_patterns: watched = [], timeout: seconds = usual } = input
  const wrong = badOptions({ background: background ?? false, notify: notify ?? false, watch: watched.length > 0 })
  if (wrong !== undefined) throw new SvcError('TERMINAL_BAD_OPTIONS', `${wrong}; nothing was run.`)
  if (!background && seconds > LONGEST_SECONDS) {
    const hint = 'run it with background: true, and wait for it with the tool process'
    throw new SvcError('TERMINAL_TOO_LONG', `A command gets ${LONGEST_SECONDS} s at most; ${hint}.`)
  }
  return seconds
}

function badOptions(asked: Readonly<Record<'background' | 'notify' | 'watch', boolean>>): string | undefined {
  if (asked.notify && asked.watch) return 'notify_on_complete and watch_patterns do not go together: leave one out'
  return asked.background || !(asked.notify || asked.watch)
    ? undefined
    : 'notify_on_complete and watch_patterns are for commands in the background: set background'
}

interface CheckedInput {
  readonly command: string
  readonly seconds: number
  readonly workdir: string | undefined
  readonly needs: readonly SandboxNeed[]
}

async function runOnLoan(input: CheckedInput, loan: Loan, turn: ToolContext, deps: TerminalDeps): Promise<ToolResult> {
  const { command, seconds, needs } = input
  const workdir = await chooseWorkdir(input.workdir, loan, turn)
  const clock = deps.clock()
  const capture = new Capture(OUTPUT_LIMIT)
  const progress = new Progress(clock, deps.mask, (line) => turn.progress(line))
  const cwdBefore = loan.shell.cwd
  const startedAt = clock.monotonic()
  const variables = await deps.variables(command, turn)
  const outcome = await loan.shell.run(command, {
    variables,
    ...(workdir === undefined ? {} : { workdir }),
    timeoutMs: seconds * 1000,
    signal: turn.signal,
    onOutput(chunk) {
      capture.add(chunk)
      progress.add(chunk)
    },
  })
  progress.stop()
  const durationMs = Math.round(clock.monotonic() - startedAt)
  const captured = capture.finish()
  const confining = await deps.confining()
  const lacked = outcome.exitCode === 0 ? [] : await confining.lacked(captured, { cwd: outcome.cwd, needs }, turn.cwd)
  return report({ command, seconds, cwdBefore, durationMs, outcome, captured, loan, lacked, mask: deps.mask })
}

/** A confined shell has its own temporary folder and home, and itself reports what is missing there. */
async function chooseWorkdir(
  asked: string | undefined,
  { shell }: Loan,
  { cwd }: ToolContext,
): Promise<string | undefined> {
  if (asked === undefined || !shell.near) return asked
  const folder = resolve(cwd, asked.replace(/^~(?=\/|$)/, homedir()))
  const isOwn = [tmpdir(), homedir()].some((place) => folder.startsWith(`${place}/`)) && !folder.startsWith(`${cwd}/`)
  return shell.wrapped && isOwn && !(await canEnter(folder)) ? folder : resolveWorkingFolder(asked, cwd)
}

/** A folder of this machine, relative to that of the session. Throws `TERMINAL_NO_FOLDER`. */
export async function resolveWorkingFolder(asked: string | undefined, cwd: string): Promise<string | undefined> {
  if (asked === undefined) return undefined
  const folder = resolve(cwd, asked.replace(/^~(?=\/|$)/, homedir()))
  if (await canEnter(folder)) return folder
  throw new SvcError(
    'TERMINAL_NO_FOLDER',
    `The folder ${beginning(folder)} does not exist or cannot be entered; nothing was run.`,
  )
}

/** Of a path that is longer than any can be. */
function beginning(folder: string): string {
  return folder.length > 4096 ? `${folder.slice(0, 200)}... (${folder.length} characters)` : folder
}
