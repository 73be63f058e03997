/** Runs a program without a shell, and ends it with all it has started. */
import { spawn } from 'node:child_process'
import type { Clock } from 'svc/sdk'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'

/** What is to be run. */
export interface ProgramLaunch {
  readonly command: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** For its standard input. */
  readonly input: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly clock: Clock
}

/** How it ended. */
export interface ProgramEnd {
  readonly end: 'exited' | 'timeout'
  readonly code: number | string
  readonly output: string
  /** The end of what it said to its error output. */
  readonly errors: string
}

const MAX_OUTPUT = 2 ** 20
const MAX_ERRORS = 1000
/** How long output may still come after the program has ended. */
const DRAIN_MS = 1000

/** Rejects with the signal's reason, or with the error of the system when it cannot be started. */
export async function runProgram(launch: ProgramLaunch): Promise<ProgramEnd> {
  const { signal, clock, timeoutMs } = launch
  signal.throwIfAborted()
  const [program = '', ...args] = launch.command
  // A new process group, which is ended as a whole.
  const child = spawn(program, args, {
    cwd: launch.cwd,
    env: { ...launch.environment, [AGENT_PROCESS_VARIABLE]: 'speech' },
    detached: true,
    stdio: 'pipe',
  })
  let output = ''
  let errors = ''
  let isLate = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MAX_OUTPUT) output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERRORS)
  })
  // It need not read what it is given.
  child.stdin.on('error', () => undefined).end(launch.input)
  const end = () => killGroup(child.pid)
  signal.addEventListener('abort', end, { once: true })
  let cancel = clock.after(timeoutMs, () => {
    isLate = true
    end()
  })
  const drain = () => {
    cancel()
    end()
    // What left the group may hold the pipes open for as long as it likes.
    cancel = clock.after(DRAIN_MS, () => {
      for (const stream of child.stdio) stream?.destroy()
    })
  }
  try {
    const code = await new Promise<number | string>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', drain)
      child.once('close', (status, by) => resolve(status ?? by ?? 'unknown'))
    })
    if (signal.aborted) throw signal.reason
    return { end: isLate ? 'timeout' : 'exited', code, output, errors: errors.trim() }
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
}
