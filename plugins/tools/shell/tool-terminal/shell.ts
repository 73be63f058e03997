/**
 * One shell process that runs one command after another and keeps its state between them.
 *
 * Commands go in on its standard input as `eval '<command>'`. Their output is written to a separate pipe (descriptor 6),
 * exit code and folder out of another (descriptor 7) that commands do not have: nothing they print can be mistaken for it.
 */
import type { ChildProcess } from 'node:child_process'
import { readlink } from 'node:fs/promises'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { shellQuote } from 'svc/sdk/shell'
import { endFamily, type Family } from './processes.ts'
import { lentVariables } from './variables.ts'

/** How long an idle shell may take to exit, and a killed one to disappear. */
const END_MS = 300
/** Turns of the event loop that a background job may keep adding to the output of a finished command. */
const MAX_DRAIN_TURNS = 1000

/** A shell process that was just started. */
export interface ShellProcess {
  readonly child: ChildProcess
  readonly output: Readable
  readonly control: Readable
  readonly mark: string
  readonly cwd: string
  /** The child is not the shell itself, which then is one of its descendants. */
  readonly wrapped?: boolean
  /** How it was started, to find out whether it would be started alike again. */
  readonly start?: ShellStart
  /** Set when it runs in a place whose processes are not of this machine. */
  readonly far?: FarSide
}

/** What was asked of a place, and what the place made of it. */
export interface ShellStart {
  readonly program: readonly string[]
  readonly cwd: string
  readonly command: readonly string[]
}

/** What is different with a shell elsewhere. */
export interface FarSide {
  /** A shell command that marks the end of a command's output. */
  readonly endLine: string
  /** Resolves once the output before the next mark has been read. */
  outputEnded(): Promise<void>
  /** Ends all that was started over there. */
  end(): Promise<void>
}

/** How one command is run. */
export interface RunOptions {
  readonly onOutput: (chunk: Buffer) => void
  /** A folder for this command alone: the shell is back where it was afterwards. */
  readonly workdir?: string
  /** Set in the shell before the command. */
  readonly variables?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** How a command ended. After anything but `done` and `not-run` the shell is gone, with its variables and functions. */
export interface Outcome {
  readonly end: 'done' | 'not-run' | 'timeout' | 'interrupted' | 'exited'
  readonly exitCode: number
  /** The shell's folder afterwards, as far as it is known. */
  readonly cwd: string
}

/** A running shell. One command at a time: the caller waits for `run` before the next. */
export class Shell {
  readonly #process: ShellProcess
  readonly #clock: Clock
  readonly #family: Family
  readonly #exited: Promise<void>
  #exitCode: number | undefined
  #cwd: string
  #received = 0
  #control = ''
  #ending: Promise<void> | undefined
  #onOutput: (chunk: Buffer) => void = () => undefined
  /** Called when something happened that may have ended the command. */
  #wake: () => void = () => undefined

  constructor(started: ShellProcess, clock: Clock) {
    const { child, mark, cwd } = started
    this.#process = started
    this.#clock = clock
    this.#cwd = cwd
    this.#family = { pid: child.pid, mark, signal: (signal) => child.kill(signal) }
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
        this.#wake()
        resolve()
      })
    })
    this.#listen()
    // The descriptors between standard error and ours were opened on /dev/null only to keep the numbers.
    if (started.far === undefined) child.stdin?.write('exec 3>&- 4>&- 5>&-\n')
  }

  /** Whether another command can be run. */
  get alive(): boolean {
    return this.#exitCode === undefined && this.#ending === undefined
  }

  /** The folder after the last command. */
  get cwd(): string {
    return this.#cwd
  }

  /** Undefined if it never started. */
  get pid(): number | undefined {
    return this.#family.pid
  }

  /** Whether its programs are processes of this machine. */
  get near(): boolean {
    return this.#process.far === undefined
  }

  /** How it was started; undefined of one elsewhere. */
  get start(): ShellStart | undefined {
    return this.#process.start
  }

  /** Whether the programs of this machine that it sees are its own only. */
  get wrapped(): boolean {
    return this.#process.wrapped === true
  }

  get #isChild(): boolean {
    return this.near && this.#process.wrapped !== true
  }

  /** Where output goes that background jobs write while no command runs. */
  set onIdleOutput(listener: (chunk: Buffer) => void) {
    this.#onOutput = listener
  }

  /** Runs a command, which must not hold NUL. Never rejects for what the command does. */
  async run(command: string, options: RunOptions): Promise<Outcome> {
    if (options.signal?.aborted) return { end: 'not-run', exitCode: 130, cwd: this.#cwd }
    if (!this.alive) return this.#settle('over', options)
    const idle = this.#onOutput
    this.#onOutput = options.onOutput
    try {
      return await this.#settle(await this.#finish(command, options), options)
    } finally {
      this.#onOutput = idle
    }
  }

  /** Ends an idle shell, which exits at the end of its input, and everything it started. */
  close(): Promise<void> {
    this.#ending ??= this.#leave().then(() => this.#end())
    return this.#ending
  }

  /** Ends it and all it started at once. */
  kill(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  /** Sends the command and waits until it is over, or for a reason to stop it. */
  async #finish(command: string, options: RunOptions): Promise<'over' | 'timeout' | 'interrupted'> {
    const { timeoutMs, signal } = options
    let cancelTimeout: (() => void) | undefined
    let interrupt: (() => void) | undefined
    try {
      return await new Promise((resolve) => {
        this.#wake = () => resolve('over')
        interrupt = () => resolve('interrupted')
        signal?.addEventListener('abort', interrupt)
        if (timeoutMs !== undefined) cancelTimeout = this.#clock.after(timeoutMs, () => resolve('timeout'))
        const line = commandLine(command, {
          workdir: options.workdir,
          variables: options.variables ?? {},
          from: this.#cwd,
          end: this.#process.far?.endLine,
        })
        this.#process.child.stdin?.write(line)
      })
    } finally {
      this.#wake = () => undefined
      cancelTimeout?.()
      if (interrupt !== undefined) signal?.removeEventListener('abort', interrupt)
    }
  }

  async #settle(reason: 'over' | 'timeout' | 'interrupted', options: RunOptions): Promise<Outcome> {
    const reply = this.#reply()
    if (reply !== undefined) {
      this.#cwd = reply.cwd
      await this.#process.far?.outputEnded()
      await this.#drain()
      return { end: 'done', ...reply }
    }
    if (reason === 'over') {
      await this.close()
      return { end: 'exited', exitCode: this.#exitCode ?? 137, cwd: this.#cwd }
    }
    if (options.workdir === undefined && this.#isChild) {
      this.#cwd = await readlink(`/proc/${this.pid}/cwd`).catch(() => this.#cwd)
    }
    await this.kill()
    return { end: reason, exitCode: reason === 'timeout' ? 124 : 130, cwd: this.#cwd }
  }

  #listen(): void {
    const { child, output, control } = this.#process
    output.on('data', (chunk: Buffer) => {
      this.#received += chunk.length
      this.#onOutput(chunk)
    })
    control.setEncoding('utf8').on('data', (text: string) => {
      this.#control += text
      if (this.#control.split('\0').length > 2) this.#wake()
    })
    control.on('end', () => this.#wake())
    // A dying shell breaks its pipes, and a command may close all descriptors it finds: either way the shell is lost.
    for (const source of [child, child.stdin, output, control]) source?.on('error', () => this.#wake())
  }

  /** The message of a finished command: exit code, NUL, folder, newline, NUL. */
  #reply(): { exitCode: number; cwd: string } | undefined {
    const [code, folder, rest] = this.#control.split('\0')
    if (folder === undefined || rest === undefined) return undefined
    this.#control = ''
    return { exitCode: Number(/\d+$/.exec(code ?? '')?.[0]), cwd: folder.replace(/\n$/, '') }
  }

  /** What a command wrote before it ended is in the pipe already: reads until a turn of the event loop brings nothing. */
  async #drain(): Promise<void> {
    for (let turns = 0, before = -1; before !== this.#received && turns < MAX_DRAIN_TURNS; turns++) {
      before = this.#received
      await nextTurn()
      await nextTurn()
    }
  }

  async #leave(): Promise<void> {
    this.#process.child.stdin?.end()
    await this.#exitWithin(END_MS)
  }

  async #end(): Promise<void> {
    const { far } = this.#process
    if (far === undefined) await endFamily(this.#family, this.#clock)
    else await far.end()
    this.#family.signal('SIGKILL')
    await this.#exitWithin(END_MS)
    await this.#drain()
    const { child, output, control } = this.#process
    for (const stream of [child.stdin, output, control]) stream?.destroy()
  }

  async #exitWithin(ms: number): Promise<void> {
    await waitAtMost(this.#clock, ms, this.#exited)
  }
}

interface CommandContext {
  readonly variables: Readonly<Record<string, string>>
  readonly workdir: string | undefined
  readonly from: string
  readonly end: string | undefined
}

/**
 * One line for the shell. Input, output and our descriptors are set for the command alone, so `exec > file` in it lasts no
 * longer than it does; `set -e` and `set -u` are taken back, since they would end the shell at the next failure; the last
 * `eval` makes bash forget that a command with an open quote looked like the end of its input.
 */
function commandLine(command: string, { workdir, from, end, variables }: CommandContext): string {
  const enter = workdir === undefined ? '' : `\\command cd -- ${shellQuote(workdir)} 2>&6 && `
  const leave = workdir === undefined ? '' : `\\command cd -- ${shellQuote(from)};`
  const evaluate = `\\command eval ${shellQuote(command)} </dev/null >&6 2>&1 6>&- 7>&-`
  const code = String.raw`\command printf '%d\0' "$?" >&7`
  const folder = String.raw`\command pwd >&7;\command printf '\0' >&7`
  const marked = end === undefined ? '' : `${end};`
  const { lend, takeBack } = lentVariables(variables)
  return `${lend}${enter}${evaluate};${code};${marked}${leave}${folder};set +eu;${takeBack}\\command eval :\n`
}
