/** What the model and the front ends are told of a command that was run. */
import type { ToolResult } from 'svc/sdk'
import type { SandboxNeed } from 'svc/sdk/shell'
import type { Captured } from './capture.ts'
import { exitMeaning } from './exit-codes.ts'
import { renderOutput } from './render-output.ts'
import type { Outcome } from './shell.ts'
import type { Loan } from './shells.ts'

/** The output of a command may be foreign: a page that it fetched, a file that another person wrote. */
export const OUTPUT = 'output of a command'

/** The structured half of a result, for front ends. */
export interface TerminalData {
  readonly output: string
  readonly exitCode: number
  readonly cwd: string
  readonly durationMs: number
  /** Part of the output was left out. */
  readonly truncated: boolean
  /** How it ended, where there is something to say of it: `exit 1: general error`. */
  readonly ended?: string
  /** What the exit code means, where the number alone would mislead. */
  readonly meaning?: string
  /** What it seems to have lacked because it was confined. */
  readonly lacked?: readonly SandboxNeed[]
}

/** All that is known of a command that was run. */
export interface CommandRun {
  readonly command: string
  readonly seconds: number
  readonly cwdBefore: string
  readonly durationMs: number
  readonly outcome: Outcome
  readonly captured: Captured
  readonly loan: Pick<Loan, 'notes' | 'earlier'>
  readonly mask: (text: string) => string
  /** What it seems to have lacked because it was confined. */
  readonly lacked?: readonly SandboxNeed[]
  /** It did not run in the session's shell, which is as it was. */
  readonly apart?: boolean
}

/** Makes the result: the output, then remarks in brackets where there is something to say. */
export function report(run: CommandRun): ToolResult {
  const { outcome, captured, loan, mask } = run
  const { exitCode, cwd } = outcome
  const output = mask(renderOutput(captured))
  const meaning = outcome.end === 'done' ? exitMeaning(run.command, exitCode) : undefined
  const said = remarks(run, meaning?.text)
  const ended = said[0]
  const data: TerminalData = {
    ...{ output, exitCode, cwd, durationMs: run.durationMs, truncated: captured.omitted > 0 },
    ...(ended !== undefined && { ended }),
    ...(meaning === undefined ? {} : { meaning: meaning.text }),
    ...(run.lacked?.length ? { lacked: run.lacked } : {}),
  }
  const earlier = mask(renderOutput(loan.earlier)).trimEnd()
  const parts = [
    ...loan.notes.map((note) => `[${note}]`),
    ...(earlier === '' ? [] : ['[written by background jobs meanwhile]', earlier, '[end of it]']),
    output.trimEnd(),
    ...said.map((remark) => `[${remark}]`),
    ...lackedLine(run.lacked ?? []),
  ]
  const text = parts.filter((part) => part !== '').join('\n')
  const failed = exitCode !== 0 && meaning?.harmless !== true
  const origin = output.trim() === '' && earlier === '' ? {} : { origin: OUTPUT }
  return { text: text === '' ? '(no output)' : text, data, ...origin, ...(failed ? { failed } : {}) }
}

/** Tells the model how to continue. */
export function lackedLine(needs: readonly SandboxNeed[]): string[] {
  if (needs.length === 0) return []
  return [
    `[confined: it lacked ${needs.join(', ')}; to run it with that: needs ${JSON.stringify(needs)}, a person is asked]`,
  ]
}

function remarks(run: CommandRun, meaning: string | undefined): string[] {
  const { end, exitCode, cwd } = run.outcome
  const lost = run.apart ? '' : `; the next command gets a new shell in ${cwd}; variables and functions are gone`
  switch (end) {
    case 'timeout':
      return [`exit 124: took longer than ${run.seconds} s and was killed with all it had started${lost}`]
    case 'interrupted':
      return [`exit 130: interrupted and killed with all it had started${lost}`]
    case 'not-run':
      return ['exit 130: interrupted before it began']
    case 'exited':
      return [`exit ${exitCode}: the shell has ended${lost}`]
    case 'done': {
      const code = exitCode === 0 ? [] : [meaning === undefined ? `exit ${exitCode}` : `exit ${exitCode}: ${meaning}`]
      return cwd === run.cwdBefore ? code : [...code, `now in ${cwd}`]
    }
  }
}
