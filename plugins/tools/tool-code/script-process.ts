/** The process of a script: started, listened to, and ended with all of its group. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex, Readable } from 'node:stream'
import type { Clock } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { killGroup } from 'svc/sdk/kit/process'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { Capture } from './capture.ts'

const STDOUT_CHARS = 50_000
const STDERR_CHARS = 10_000
/** Characters of one call; more is no call but a mistake. */
const LINE_CHARS = 16 * 2 ** 20
/** How long output may still come after the process has ended. */
const DRAIN_MS = 1000

/** How a script ended. */
export type ScriptEnd = 'done' | 'timeout' | 'interrupted' | 'garbled'

/** What came of it. */
export interface ScriptOutcome {
  readonly end: ScriptEnd
  /** The exit code, or the signal that ended it. */
  readonly code: number | string
  readonly output: string
  readonly errors: string
}

/** How a script is started. */
export interface ScriptLaunch {
  readonly command: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly timeoutMs: number
  /** Answers a line of the script with a line. */
  readonly answer: (line: string) => Promise<string>
}

/** A script under way. */
export class ScriptProcess {
  readonly #launch: ScriptLaunch
  readonly #child: ChildProcess
  readonly #output: Capture = new Capture(STDOUT_CHARS)
  readonly #errors: Capture = new Capture(STDERR_CHARS)
  #end: ScriptEnd = 'done'
  #rest = ''
  #leftMs: number
  #since = 0
  #cancel: () => void = () => {}
  #isOver = false

  constructor(launch: ScriptLaunch) {
    this.#launch = launch
    this.#leftMs = launch.timeoutMs
    const [program = '', ...args] = launch.command
    this.#child = spawn(program, args, {
      cwd: launch.cwd,
      env: { ...launch.environment, [AGENT_PROCESS_VARIABLE]: 'code' },
      // A new process group, which is ended as a whole.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#output.add(bytes))
    this.#child.stderr?.on('data', (bytes: Buffer) => this.#errors.add(bytes))
    this.#listen(this.#child.stdio[3] as Duplex)
  }

  /** Resumes the clock of the script, or pauses it while its tools run. */
  timer(state: 'runs' | 'stands'): void {
    const { clock } = this.#launch
    this.#cancel()
    this.#cancel = () => {}
    if (this.#isOver) return
    if (state === 'runs') {
      this.#since = clock.monotonic()
      this.#cancel = clock.after(this.#leftMs, () => this.#kill('timeout'))
    } else this.#leftMs -= clock.monotonic() - this.#since
  }

  /** Waits until it has ended and nothing of its group is left. */
  async ended(): Promise<ScriptOutcome> {
    const { signal } = this.#launch
    const interrupted = () => this.#kill('interrupted')
    signal.addEventListener('abort', interrupted, { once: true })
    if (signal.aborted) interrupted()
    else this.timer('runs')
    try {
      const code = await this.#exit()
      killGroup(this.#child.pid, 'SIGKILL')
      await this.#drained()
      return { end: this.#end, code, output: this.#output.text(), errors: this.#errors.text() }
    } finally {
      signal.removeEventListener('abort', interrupted)
      this.timer('stands')
      this.#isOver = true
    }
  }

  #exit(): Promise<number | string> {
    return new Promise((resolve, reject) => {
      this.#child.once('error', reject)
      this.#child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
    })
  }

  /** What left the group may hold the pipes open for as long as it likes. */
  async #drained(): Promise<void> {
    const closed = Promise.all([this.#child.stdout, this.#child.stderr].map(whenClosed))
    await waitAtMost(this.#launch.clock, DRAIN_MS, closed)
    for (const stream of this.#child.stdio) stream?.destroy()
  }

  #listen(calls: Duplex): void {
    calls.setEncoding('utf8')
    // The script closes its end whenever it likes; how it ended is seen by its exit.
    calls.on('error', () => undefined)
    calls.on('data', (text: string) => {
      // Nothing is run for a script that is over.
      if (this.#isOver) return
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop() ?? ''
      if (this.#rest.length > LINE_CHARS) this.#kill('garbled')
      for (const line of lines) void this.#launch.answer(line).then((answer) => calls.writable && calls.write(answer))
    })
  }

  #kill(end: ScriptEnd): void {
    this.#end = end
    killGroup(this.#child.pid, 'SIGKILL')
  }
}

async function whenClosed(stream: Readable | null): Promise<void> {
  if (stream && !stream.closed) await new Promise<void>((resolve) => stream.once('close', resolve))
}
