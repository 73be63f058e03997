/** Runs a script of a POSIX shell in an environment: one round trip, any bytes in and out, and no doubt about how it ended. */
import { spawn } from 'node:child_process'
import { SvcError } from '../../errors.ts'
import type { ShellEnvironment } from '../../terminals.ts'
import { FAILURES, PRELUDE } from './scripts.ts'

const MAX_SAID = 4000
const MAX_OUTPUT = 256 * 2 ** 20

/** A script, and what it gets. */
export interface ScriptCall {
  /** Uses the functions of the prelude; `$M` is an unguessable text that it may put between its results. */
  readonly script: string
  readonly args: readonly string[]
  readonly input?: Uint8Array | undefined
  readonly signal?: AbortSignal | undefined
}

/** What it wrote. */
export interface ScriptResult {
  readonly output: Buffer
  /** The unguessable text. */
  readonly mark: string
  /** What it complained of. */
  readonly said: string
}

/** How a script is run. */
export type Run = (call: ScriptCall) => Promise<ScriptResult>

/** Resolves when the script has reached its end. Throws errors as `EnvironmentFiles` says. */
export async function runScript(
  environment: Pick<ShellEnvironment, 'launch'>,
  mark: string,
  call: ScriptCall,
): Promise<ScriptResult> {
  const { signal, input } = call
  signal?.throwIfAborted()
  const command = ['sh', '-c', `${PRELUDE}${call.script}\nfinish`, 'sh', mark, ...call.args]
  const launch = await environment.launch({ command, pty: false })
  const [file = '', ...args] = launch.command
  const child = spawn(file, args, { cwd: launch.cwd, env: { ...launch.environment }, detached: true, stdio: 'pipe' })
  const stop = () => void child.kill('SIGKILL')
  const parts: Buffer[] = []
  let length = 0
  let said = ''
  let problem: Error | undefined
  child.once('error', (error) => {
    problem = error
  })
  // A connection that was lost is noticed by what is missing in the output.
  child.stdin.on('error', () => undefined)
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_SAID)
  })
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= MAX_OUTPUT) parts.push(chunk)
    else stop()
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    child.stdin.end(input)
    await closed
  } finally {
    signal?.removeEventListener('abort', stop)
    await launch.close?.()
  }
  if (length > MAX_OUTPUT) throw Object.assign(new Error(`it has more than ${MAX_OUTPUT} bytes`), { code: 'EFBIG' })
  const ended = readOutput(Buffer.concat(parts), mark)
  if (ended === undefined) {
    signal?.throwIfAborted()
    throw lost(problem?.message ?? said.trim())
  }
  if (ended.failure !== undefined) throw failure(ended.failure, said)
  return { output: ended.output, mark, said }
}

/** What is between the mark at the beginning and the one at the end, or how the script failed; undefined without an end. */
function readOutput(all: Buffer, mark: string): { readonly output: Buffer; readonly failure?: string } | undefined {
  // A greeting of the machine may come before.
  const from = all.indexOf(`${mark}<`)
  const to = all.lastIndexOf(mark)
  if (from === -1 || to <= from) return undefined
  const output = all.subarray(from + mark.length + 1, to)
  const rest = all.subarray(to + mark.length).toString()
  if (rest === '>') return { output }
  return rest.startsWith('!') && rest.endsWith('\n') ? { output, failure: rest.slice(1, -1) } : undefined
}

function lost(said: string): SvcError {
  const reason = said === '' ? 'the connection ended' : said
  const message = `The environment that commands run in was lost in the middle of an operation: ${reason}. Repeat it.`
  return new SvcError('ENVIRONMENT_LOST', message)
}

/** The script names a code; what the programs in it said may name a better one. */
function failure(code: string, said: string): Error {
  const better = code === 'EIO' ? FAILURES.find(([pattern]) => pattern.test(said))?.[1] : undefined
  const reason = said.trim() === '' ? (better ?? code) : said.trim()
  return Object.assign(new Error(reason), { code: better ?? code })
}
