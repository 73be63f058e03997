/** Runs the command of a hook: one JSON document in, bounded output out, its whole process group ended at the time limit. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Clock } from 'svc/sdk'
import { killGroup } from 'svc/sdk/kit/process'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'

/** Beyond this a command floods and is ended. */
const MAX_OUTPUT = 1_048_576
/** Pipes that something keeps open after the end of the command are not waited for longer than this. */
const DRAIN_MS = 1000

/** How to start it. */
export interface CommandLaunch {
  readonly command: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
}

/** What a command did. */
export interface CommandEnd {
  /** `exited` with `code`; otherwise why there is no code. */
  readonly kind: 'exited' | 'timeout' | 'flood' | 'interrupted' | 'not-started'
  readonly code?: number
  readonly stdout: string
  readonly stderr: string
  /** Why it could not be started, or the signal that ended it. */
  readonly detail?: string
}

/** Resolves when it has ended; rejects only where the system takes no such command, as with a NUL in it. */
export function runCommand(
  launch: CommandLaunch,
  input: string,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly clock: Pick<Clock, 'after'> },
): Promise<CommandEnd> {
  const { timeoutMs, signal, clock } = limits
  return new Promise((resolve) => {
    const child = start(launch)
    const output = { stdout: [] as Buffer[], stderr: [] as Buffer[], size: 0 }
    const text = (parts: readonly Buffer[]) => Buffer.concat(parts).toString('utf8')
    let why: CommandEnd['kind'] = 'exited'
    let isOver = false
    const cancels: (() => void)[] = []
    const end = (ended: Omit<CommandEnd, 'stdout' | 'stderr'>) => {
      if (isOver) return
      isOver = true
      for (const cancel of cancels) cancel()
      for (const stream of child.stdio) stream?.destroy()
      resolve({ ...ended, stdout: text(output.stdout), stderr: text(output.stderr) })
    }
    const stop = (kind: CommandEnd['kind']) => {
      why = kind
      killGroup(child.pid, 'SIGKILL')
    }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.on('data', (part: Buffer) => {
        output.size += part.length
        if (output.size > MAX_OUTPUT) stop('flood')
        else output[name].push(part)
      })
    const interrupted = () => stop('interrupted')
    signal.addEventListener('abort', interrupted, { once: true })
    cancels.push(() => signal.removeEventListener('abort', interrupted))
    cancels.push(clock.after(timeoutMs, () => stop('timeout')))
    child.on('error', (error) => end({ kind: 'not-started', detail: error.message }))
    child.on('exit', (code, by) => {
      // What it left in its group ends with it.
      killGroup(child.pid, 'SIGKILL')
      const ended = { kind: why, ...(code !== null && { code }), ...(by && { detail: `ended by ${by}` }) }
      child.on('close', () => end(ended))
      cancels.push(clock.after(DRAIN_MS, () => end(ended)))
    })
    // A command need not read what it is told.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    if (signal.aborted) interrupted()
  })
}

function start({ command, cwd, environment }: CommandLaunch): ChildProcess {
  const [program = '', ...args] = command
  const env = { ...environment, [AGENT_PROCESS_VARIABLE]: 'hooks' }
  // A group of its own, which is ended as a whole.
  return spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
}
