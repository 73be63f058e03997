/** Runs a program with bounded time and output, and ends its whole process group. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Clock } from 'svc/sdk'
import { killGroup } from 'svc/sdk/kit/process'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'

export interface ProgramRun {
  readonly command: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'after'>
}

/** How it ended. */
export interface ProgramEnd {
  readonly kind: 'exited' | 'timeout' | 'interrupted' | 'not-started'
  readonly code?: number
  /** The last part of what it wrote, both outputs as they came. */
  readonly tail: string
  /** Of all that it wrote, in hexadecimal. */
  readonly sha256: string
  /** Why it could not be started, or the signal that ended it. */
  readonly detail?: string
}

const MAX_TAIL = 4000
/** Pipes that something keeps open after the end of the program are not waited for longer than this. */
const DRAIN_MS = 1000

export function runProgram({ command, cwd, environment, timeoutMs, signal, clock }: ProgramRun): Promise<ProgramEnd> {
  const [program = '', ...args] = command
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      // What it starts is of the agent as far as svc is concerned: it may not run svc.
      env: { ...environment, [AGENT_PROCESS_VARIABLE]: 'kanban' },
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const hash = createHash('sha256')
    let tail = Buffer.alloc(0)
    let kind: ProgramEnd['kind'] = 'exited'
    let isOver = false
    const cancels: (() => void)[] = []
    const end = (ended: Pick<ProgramEnd, 'kind' | 'code' | 'detail'>) => {
      if (isOver) return
      isOver = true
      for (const cancel of cancels) cancel()
      for (const stream of child.stdio) stream?.destroy()
      resolve({ ...ended, tail: tail.toString('utf8'), sha256: hash.digest('hex') })
    }
    const stop = (why: ProgramEnd['kind']) => {
      kind = why
      killGroup(child.pid, 'SIGKILL')
    }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        hash.update(part)
        tail = Buffer.concat([tail, part]).subarray(-MAX_TAIL)
      })
    const interrupted = () => stop('interrupted')
    signal.addEventListener('abort', interrupted, { once: true })
    cancels.push(() => signal.removeEventListener('abort', interrupted))
    cancels.push(clock.after(timeoutMs, () => stop('timeout')))
    child.on('error', (error) => end({ kind: 'not-started', detail: error.message }))
    child.on('exit', (code, by) => {
      killGroup(child.pid, 'SIGKILL')
      const ended = { kind, ...(code !== null && { code }), ...(by && { detail: `ended by ${by}` }) }
      child.on('close', () => end(ended))
      cancels.push(clock.after(DRAIN_MS, () => end(ended)))
    })
    if (signal.aborted) interrupted()
  })
}
