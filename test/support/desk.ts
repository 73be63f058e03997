/** Where stories at the terminal happen: a home, a project, a fake model, and the built program in terminals of tmux. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { Reply } from './model-replies.ts'
import { type ModelServer, type RecordedRequest, startModelServer } from './model-server.ts'
import { removeFolder } from './remove-folder.ts'
import { root } from './repository.ts'
import { Tmux } from './tmux.ts'

/** The program as it was built. */
export const program = join(root, 'dist/kernel/bin.cjs')
const PATIENCE_MS = 15_000

/** What a story begins with. */
export interface DeskOptions {
  /** What the model says to what was said last. */
  readonly replies?: (asked: string, request: RecordedRequest) => Reply
  /** Lines of config.yaml besides those about the model. */
  readonly config?: readonly string[]
  /** Tokens that the model can read. */
  readonly window?: number
  readonly env?: Readonly<Record<string, string>>
}

/** How a terminal is opened. */
export interface OpenOptions {
  readonly columns?: number
  readonly rows?: number
  readonly args?: readonly string[]
  /** Instead of the program. */
  readonly command?: readonly string[]
}

/** The place of one story. Everything in it ends with the test. */
export class Desk {
  readonly model: ModelServer
  readonly home: string
  readonly cwd: string
  readonly #env: Readonly<Record<string, string>>
  readonly #terminals: Tmux[] = []

  private constructor(folder: string, model: ModelServer, { config = [], window = 100_000, env = {} }: DeskOptions) {
    this.model = model
    this.home = join(folder, 'home')
    this.cwd = join(folder, 'project')
    this.#env = { PATH: process.env['PATH'] ?? '', HOME: folder, TERM: 'tmux-256color', SHELL: '/bin/sh', ...env }
    for (const each of [this.home, this.cwd]) mkdirSync(each)
    const lines = ['provider: custom', `base_url: ${model.url}`, 'default: fake-model', `context_length: ${window}`]
    const all = ['model:', ...lines.map((line) => `  ${line}`), ...config]
    writeFileSync(join(this.home, 'config.yaml'), `${all.join('\n')}\n`)
    writeFileSync(join(this.cwd, 'package.json'), '{}\n')
  }

  static async lay(options: DeskOptions = {}): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-desk-'))
    const { replies = () => 'Very well.' } = options
    const model = await startModelServer({ replies: (request) => replies(lastWords(request), request) })
    const desk = new Desk(folder, model, options)
    onTestFinished(async () => {
      await desk.#clear()
      removeFolder(folder)
    })
    return desk
  }

  /** A terminal in the project. */
  open({ columns = 80, rows = 24, args = [], command }: OpenOptions = {}): Tmux {
    const terminal = new Tmux({
      command: command ?? [process.execPath, program, ...args],
      columns,
      rows,
      cwd: this.cwd,
      env: { ...this.#env, SVC_HOME: this.home },
    })
    this.#terminals.push(terminal)
    return terminal
  }

  /** A terminal in which the program waits for someone to type. */
  async ready(options?: OpenOptions): Promise<Tmux> {
    const terminal = this.open(options)
    await terminal.shows(isReady)
    return terminal
  }

  /** What was asked for in each request, oldest first. */
  get asked(): readonly string[] {
    return this.model.requests.map(lastWords)
  }

  /** A file of the project. */
  write(name: string, text: string): void {
    writeFileSync(join(this.cwd, name), text)
  }

  /** Whether the project has this file. */
  has(name: string): boolean {
    return existsSync(join(this.cwd, name))
  }

  async #clear(): Promise<void> {
    const left = this.#terminals.flatMap((terminal) => programsIn(terminal))
    const closed = await Promise.allSettled(this.#terminals.map((terminal) => terminal.close()))
    await this.model.close()
    // A program that does not end when its terminal is closed must not outlive the test.
    if (closed.some(({ status }) => status === 'rejected')) end(left)
  }
}

const isReady = /Ask something/

/** The newest thing that a user said, also before results of tools. */
export function lastWords({ body }: RecordedRequest): string {
  const messages = body['messages'] as readonly { readonly role: string; readonly content?: unknown }[]
  const { content } = messages.findLast(({ role }) => role === 'user') ?? {}
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}

/** Whether the newest message is the result of a tool; then its text. */
export function result({ body }: RecordedRequest): string | undefined {
  const messages = body['messages'] as readonly { readonly role: string; readonly content?: unknown }[]
  const last = messages.at(-1)
  return last?.role === 'tool' ? String(last.content) : undefined
}

/** Process ids of the program in a terminal. */
export function programsIn(terminal: Tmux): number[] {
  let shell: number
  try {
    shell = terminal.pid()
  } catch {
    // It was closed.
    return []
  }
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const all = rows.flatMap((row) => {
    const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args: args ?? '' }]
  })
  const inside = new Set([shell])
  // A child may have a smaller number than its parent: look until there is nothing new.
  for (let size = 0; size !== inside.size; ) {
    size = inside.size
    for (const { pid, parent } of all) if (inside.has(parent)) inside.add(pid)
  }
  return all.filter(({ pid, args }) => inside.has(pid) && args.split(' ')[1] === program).map(({ pid }) => pid)
}

/** Resolves when the processes have ended. */
export async function gone(processes: readonly number[]): Promise<void> {
  await eventually(() => {
    const left = processes.filter(isAlive)
    if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`)
  })
}

/** Looks again until `look` does not throw, and resolves with what it found. */
export function eventually<T>(look: () => T): Promise<T> {
  return vi.waitFor(look, { timeout: PATIENCE_MS, interval: 50 })
}

/** Resolves with the screen once it stays as it is from one look to the next. */
export function isStill(terminal: Tmux): Promise<string> {
  let before = ''
  return eventually(() => {
    const now = terminal.screen()
    const was = before
    before = now
    if (now !== was) throw new Error('the screen changes')
    return now
  })
}

function end(processes: readonly number[]): void {
  for (const pid of processes.filter(isAlive)) process.kill(pid, 'SIGKILL')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
