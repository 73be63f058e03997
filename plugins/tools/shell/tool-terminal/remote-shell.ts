/**
 * Shells in containers and on other machines. Only three streams reach them: commands go in on standard input, what they
 * write comes out of standard output, exit codes and folders out of standard error. The two arrive independently, so the
 * end of a command's output is marked with a secret text.
 */
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'
import { type Clock, SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { type ShellEnvironment, type SpawnSpec, shellQuote } from 'svc/sdk/shell'
import { MARK_VARIABLE, markedFunction } from './processes.ts'
import { Shell } from './shell.ts'

/** How long a shell may take to say that it is there. */
const START_MS = 60_000
/** How long the other side may take to end a command. */
const KILL_MS = 10_000
/** How long the last output of a command may take after its exit code. */
const LAST_OUTPUT_MS = 5000
const MAX_SAID = 4000

/** How a shell elsewhere is started. */
export interface RemoteShellOptions {
  readonly terminal: ShellEnvironment
  /** The folder to begin in, over there; another one when it cannot be entered. Undefined: where the place begins. */
  readonly cwd: string | undefined
  readonly mark: string
  readonly clock: Clock
}

/** Starts bash there, or sh. Throws `TERMINAL_LOST` with what was said instead. */
export async function startRemoteShell(options: RemoteShellOptions): Promise<Shell> {
  const { terminal, clock, mark } = options
  const launch = await terminal.launch({ command: ['sh', '-c', startScript(options)], pty: false })
  const child = start(launch)
  const ending = `${mark}:end`
  const output = new OutputEnd(ending)
  child.stdout.pipe(output)
  try {
    const cwd = await greeting(child.stderr, `${mark}:ready\0`, clock)
    const far = {
      endLine: String.raw`\command printf '\000${ending}\000' >&6`,
      outputEnded: () => waitAtMost(clock, LAST_OUTPUT_MS, output.next()),
      end: () => endMarked(terminal, mark, clock),
    }
    return new Shell({ child, output, control: child.stderr, mark, cwd, far }, clock)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

/** Ends everything over there that carries the mark: asked first, forced a second later. */
export async function endMarked(terminal: ShellEnvironment, mark: string, clock: Clock): Promise<void> {
  // A place that is gone has taken everything with it.
  const launch = await terminal.launch({ command: ['sh', '-c', killScript(mark)], pty: false }).catch(() => undefined)
  if (launch === undefined) return
  const child = start(launch)
  child.stdin.end()
  for (const stream of [child.stdout, child.stderr]) stream.resume()
  await waitAtMost(clock, KILL_MS, new Promise<void>((resolve) => child.once('exit', () => resolve())))
  child.kill('SIGKILL')
}

function start({ command, environment, cwd }: SpawnSpec) {
  const [file = '', ...args] = command
  const child = spawn(file, args, { cwd, env: { ...environment }, detached: true, stdio: 'pipe' })
  // A missing program also ends its streams, which is where it is noticed.
  for (const source of [child, child.stdin]) source.on('error', () => undefined)
  return child
}

function startScript({ mark, cwd }: RemoteShellOptions): string {
  const enter = cwd === undefined ? '' : `cd -- ${shellQuote(cwd)};`
  const shell = 'command -v bash && exec bash --noprofile --norc; exec sh'
  const ready = String.raw`printf '%s\0' '${mark}:ready' >&7; pwd >&7; printf '\0' >&7`
  return `export ${MARK_VARIABLE}='${mark}'; exec 6>&1 7>&2 >/dev/null 2>&1; ${enter} ${ready}; ${shell}`
}

function killScript(mark: string): string {
  return `${markedFunction(mark)}
for signal in STOP TERM CONT; do found=$(marked); [ -n "$found" ] || exit 0; kill -"$signal" $found; done 2>/dev/null
for step in 1 2 3 4 5; do [ -n "$(marked)" ] || exit 0; sleep 0.2 2>/dev/null || sleep 1; done
for step in 1 2 3; do found=$(marked); [ -n "$found" ] || exit 0; kill -KILL $found 2>/dev/null; sleep 0.1 2>/dev/null; done`
}

/** Waits for the first words of the shell and returns its folder. What came before them is what a failure is about. */
async function greeting(control: Readable, words: string, clock: Clock): Promise<string> {
  let said = ''
  const heard = new Promise<boolean>((resolve) => {
    control.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-MAX_SAID)
      const [, rest] = said.split(words)
      if (rest?.endsWith('\0')) resolve(true)
    })
    control.once('close', () => resolve(false))
  })
  const ok = await waitAtMost(clock, START_MS, heard)
  control.removeAllListeners('data')
  const folder = said.split(words)[1]
  if (ok && folder !== undefined) return folder.replace(/\n\0$/, '')
  const reason = said.trim() === '' ? 'it said nothing' : said.trim()
  throw new SvcError(
    'TERMINAL_LOST',
    `The shell in the configured terminal backend did not start: ${reason}. The next command opens a new one.`,
  )
}

/** Passes an output on without the marks in it, and counts them. */
class OutputEnd extends Transform {
  readonly #mark: Buffer
  #rest: Buffer = Buffer.alloc(0)
  #ended = 0
  #awaited = 0
  #wake: () => void = () => undefined

  constructor(mark: string) {
    super()
    this.#mark = Buffer.from(`\0${mark}\0`)
    for (const event of ['end', 'close', 'error']) this.once(event, () => this.#arrived(Number.POSITIVE_INFINITY))
  }

  /** Resolves when the next command's output has been passed on, or nothing more can come. */
  async next(): Promise<void> {
    this.#awaited++
    if (this.#ended < this.#awaited) await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (let at = rest.indexOf(this.#mark); at >= 0; at = rest.indexOf(this.#mark)) {
      if (at > 0) this.push(rest.subarray(0, at))
      rest = rest.subarray(at + this.#mark.length)
      this.#arrived(1)
    }
    const held = this.#beginning(rest)
    if (held > 0) this.push(rest.subarray(0, held))
    this.#rest = rest.subarray(held)
    done()
  }

  override _flush(done: () => void): void {
    this.push(this.#rest)
    done()
  }

  /** Where at the end of the bytes a mark may begin. */
  #beginning(bytes: Buffer): number {
    for (let at = Math.max(0, bytes.length - this.#mark.length + 1); at < bytes.length; at++) {
      if (this.#mark.indexOf(bytes.subarray(at)) === 0) return at
    }
    return bytes.length
  }

  #arrived(count: number): void {
    this.#ended += count
    if (this.#ended >= this.#awaited) this.#wake()
  }
}
