/** Runs a program that only reads, in bounded time and memory. */
import { AGENT_PROCESS_VARIABLE } from '../../leash.ts'

/**
 * What is to be run.
 * @since 0.2
 */
export interface ProgramCall {
  /** Who runs it: the value of `AGENT_PROCESS_VARIABLE`, so that what it starts can change nothing of svc. */
  readonly owner: string
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Ends it. */
  readonly signal: AbortSignal
  /** It is ended when it has written this much. */
  readonly maxBytes: number
  /** Told of each piece as it comes. */
  readonly onOutput?: (text: string) => void
  /** Makes the error of a program that is missing or failed; `message` is what it complained of first. */
  fail(message: string, cause?: unknown): Error
}

/**
 * How it ended.
 * @since 0.2
 */
export interface ProgramEnd {
  readonly output: string
  /** It was ended because there was enough. */
  readonly cut: boolean
}

const MAX_ERRORS = 500

/**
 * Resolves with what it wrote. Throws what `fail` makes, or the signal's reason.
 * @since 0.2
 */
export async function runProgram(call: ProgramCall): Promise<ProgramEnd> {
  const { program, args, cwd, environment, signal, maxBytes } = call
  signal.throwIfAborted()
  // Loaded here: the question of a one-shot chat starts no process.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(program, args, {
    cwd,
    env: { ...environment, [AGENT_PROCESS_VARIABLE]: call.owner },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  let [output, errors, cut] = ['', '', false]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (cut) return
    output += text
    call.onOutput?.(text)
    cut = output.length > maxBytes
    if (cut) stop()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(0, MAX_ERRORS)
  })
  try {
    const code = await new Promise<number | undefined>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (status) => resolve(status ?? undefined))
    })
    signal.throwIfAborted()
    if (code === 0 || cut) return { output: output.slice(0, maxBytes), cut }
    throw call.fail(errors.trim().split('\n')[0] || `${program} ended with ${code}.`)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw call.fail(`${program} is not installed, or the working folder is gone.`, cause)
    throw cause
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
