/** One call of the tool `terminal`: checks what was asked, runs it in the session's shell, reports how it went. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { SvcError, type ToolResult, type ToolTurn } from 'svc/sdk'
import { Capture } from './capture.ts'
import { Progress } from './progress.ts'
import { report } from './report.ts'
import type { Loan } from './shells.ts'
import { canEnter } from './start-shell.ts'
import type { TerminalHost, TerminalInput } from './tools.ts'

const OUTPUT_LIMIT = 50_000
const LONGEST_SECONDS = 600

/** Runs a command. One that fails is a result; one that cannot be run throws a `TERMINAL_...` error. */
export async function runCommand(input: TerminalInput, turn: ToolTurn, host: TerminalHost): Promise<ToolResult> {
  if (input.command.includes('\0')) {
    throw new SvcError('TERMINAL_BAD_COMMAND', 'The command holds a NUL character, which no shell can take.')
  }
  const seconds = input.timeout ?? host.config.timeout
  if (seconds > LONGEST_SECONDS) {
    const hint = 'split the work, or start it with & and send its output to a file'
    throw new SvcError('TERMINAL_TOO_LONG', `A command gets ${LONGEST_SECONDS} s at most; ${hint}.`)
  }
  const workdir = input.workdir === undefined ? undefined : await folderToWorkIn(input.workdir, turn.cwd)
  const shells = await host.shells()
  return shells.lend(turn.sessionId, turn.cwd, (loan) => runOnLoan({ ...input, seconds, workdir }, loan, turn, host))
}

interface CheckedInput {
  readonly command: string
  readonly seconds: number
  readonly workdir: string | undefined
}

async function runOnLoan(input: CheckedInput, loan: Loan, turn: ToolTurn, host: TerminalHost): Promise<ToolResult> {
  const { command, seconds, workdir } = input
  const clock = host.clock()
  const capture = new Capture(OUTPUT_LIMIT)
  const progress = new Progress(clock, (line) => turn.progress(host.mask(line)))
  const cwdBefore = loan.shell.cwd
  const startedAt = clock.monotonic()
  const outcome = await loan.shell.run(command, {
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
  return report({ command, seconds, cwdBefore, durationMs, outcome, captured: capture.finish(), loan, mask: host.mask })
}

async function folderToWorkIn(asked: string, cwd: string): Promise<string> {
  const folder = resolve(cwd, asked.replace(/^~(?=\/|$)/, homedir()))
  if (await canEnter(folder)) return folder
  throw new SvcError('TERMINAL_NO_FOLDER', `The folder ${folder} does not exist or cannot be entered; nothing was run.`)
}
