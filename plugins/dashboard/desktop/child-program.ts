/** Programs that the desktop starts and waits for: never through a shell, each in a process group that ends as a whole. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Clock, errorMessage } from 'svc/sdk'

export interface ChildOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  readonly clock: Clock
  /** Milliseconds after which it is ended. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  onLine?(line: string, stream: 'stdout' | 'stderr'): void
}

export interface ChildEnd {
  /** Undefined when it could not be started or was ended by a signal. */
  readonly code: number | undefined
  readonly lines: readonly string[]
  /** Why there is no code, for people. */
  readonly problem: string | undefined
}

/** Kept of what it prints. */
const MAX_LINES = 200
const MAX_LINE = 4096

/** Resolves when it has ended, whatever happened to it. */
export async function runProgram(command: readonly string[], options: ChildOptions): Promise<ChildEnd> {
  const [file = '', ...args] = command
  const lines: string[] = []
  let problem: string | undefined
  const child = spawn(file, args, {
    env: { ...options.environment },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    // npm is a command file on Windows; its words are our own.
    shell: process.platform === 'win32' && file === 'npm',
  })
  const end = (why: string) => {
    problem ??= why
    endGroup(child.pid, 'SIGTERM')
    if (child.exitCode === null) options.clock.after(2000, () => endGroup(child.pid, 'SIGKILL'), { background: true })
  }
  const read = [child.stdout, child.stderr].map((stream, at) =>
    readLines(stream, (line) => {
      lines.push(line)
      if (lines.length > MAX_LINES) lines.shift()
      options.onLine?.(line, at === 0 ? 'stdout' : 'stderr')
    }),
  )
  const { timeoutMs, signal } = options
  const cancel =
    timeoutMs === undefined
      ? () => {}
      : options.clock.after(timeoutMs, () => end(`it took longer than ${timeoutMs / 1000} s`), { background: true })
  const onAbort = () => end('it was cancelled')
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  try {
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', (error) => {
        problem = errorMessage(error)
        resolve(null)
      })
      child.once('exit', (ended, by) => {
        if (by !== null) problem ??= `it was ended by ${by}`
        resolve(ended)
      })
    })
    if (child.pid !== undefined) await Promise.all(read)
    return { code: code ?? undefined, lines, problem }
  } finally {
    cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Resolves at the end of the stream. What a program leaves behind that holds the stream open is not waited for. */
function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): Promise<void> {
  const reader = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  reader.on('line', (line) => onLine(line.slice(0, MAX_LINE)))
  return new Promise((resolve) => reader.once('close', resolve))
}

/** Does nothing when it is gone. */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
