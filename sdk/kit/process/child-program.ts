/** Runs npm, git and the like for a person: never through a shell, without the keys of other programs, and in bounded time. */
import type { Clock } from '../../ports.ts'
import type { Secrets } from '../../secrets.ts'
import { killGroup } from './kill-group.ts'

const LIMIT_MS = 300_000
const MAX_OUTPUT = 8 * 2 ** 20
const secretName = /(^|_)(API_KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|SECRET|PASSWORD|TOKEN)$/i
/** By which npm is let into private registries. */
const npmName = /^(NPM_|NODE_AUTH_TOKEN$)/i

/**
 * What a child process needs of its caller.
 * @since 0.2
 */
export interface ChildRun {
  readonly clock: Clock
  readonly secrets: Secrets
  /** Ends the child process. */
  readonly signal: AbortSignal
}

/**
 * Where a child process runs.
 * @since 0.2
 */
export interface ChildOptions {
  readonly cwd: string
  /** Added to the environment of this process, which is given without its secrets. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Milliseconds until it is ended (default 300,000). */
  readonly timeoutMs?: number
}

/**
 * What a child process did.
 * @since 0.2
 */
export interface ChildResult {
  /** `null` when a signal ended it. */
  readonly code: number | null
  /** Standard output, at most 8 MiB. */
  readonly out: string
  /** Standard error, with secrets masked. */
  readonly err: string
  /** It was ended because it took longer than this. */
  readonly timedOutAfterMs?: number
}

/**
 * Runs a program to its end, without a terminal. Only for what a person asked for: the child process does not carry the mark of the
 * agent. Throws the error of the system when the program cannot be started, and the reason of the signal.
 * @since 0.2
 */
export async function runChild(
  program: string,
  words: readonly string[],
  { clock, secrets, signal }: ChildRun,
  { cwd, env = {}, timeoutMs = LIMIT_MS }: ChildOptions,
): Promise<ChildResult> {
  signal.throwIfAborted()
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(program, words, {
    cwd,
    env: { ...environment(secrets), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm is a command file on Windows. Its words are checked by the caller.
    shell: process.platform === 'win32' && program === 'npm',
    windowsHide: true,
    // A group of its own: npm starts programs that would hold its output open.
    detached: process.platform !== 'win32',
  })
  const texts = { out: '', err: '' }
  child.stdout.on('data', (part: Buffer) => {
    texts.out = (texts.out + part).slice(0, MAX_OUTPUT)
  })
  child.stderr.on('data', (part: Buffer) => {
    texts.err = (texts.err + part).slice(-MAX_OUTPUT)
  })
  let late = false
  const end = () => killGroup(child.pid, 'SIGTERM')
  const cancel = clock.after(timeoutMs, () => {
    late = true
    end()
  })
  signal.addEventListener('abort', end, { once: true })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    signal.throwIfAborted()
    return { code, out: texts.out, err: secrets.mask(texts.err), ...(late ? { timedOutAfterMs: timeoutMs } : {}) }
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}

/** npm and git get the environment for their settings and proxies, but no keys of other programs. */
function environment(secrets: Secrets): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name, value]) => {
    return value !== undefined && (npmName.test(name) || !secretName.test(name)) && secrets.source(name) !== '.env'
  })
  return Object.fromEntries(entries) as Record<string, string>
}
