/** A program in a pseudo terminal, as a person has it: what it writes is heard, what is typed reaches it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { IPty } from '@lydell/node-pty'
import type { Program } from './child.ts'
import type { Environment } from './workspace.ts'

const COLUMNS = 120
const ROWS = 40
const LIMIT_MS = 30_000
/** The end of what was heard is kept, so that a text that comes in two pieces is found. */
const KEPT = 65_536
/** Ticks of `/proc/<pid>/stat` in a second: `USER_HZ` is 100 on every Linux (man 5 proc). */
const TICKS = 100

export class Pty {
  readonly #pty: IPty
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  #heard = ''
  #listen: () => void = () => {}

  /** Starts it. `root` is the repository, whose node-pty is used. */
  constructor(root: string, { args, env, cwd }: Omit<Program, 'prints'>) {
    const { spawn } = createRequire(join(root, 'package.json'))('@lydell/node-pty') as typeof import('@lydell/node-pty')
    const terminal: Environment = { ...env, TERM: 'xterm-256color' }
    this.#pty = spawn(process.execPath, [...args], { cols: COLUMNS, rows: ROWS, cwd, env: { ...terminal } })
    this.#pty.onData((data) => {
      this.#heard = (this.#heard + data).slice(-KEPT)
      this.#listen()
    })
    this.ended = new Promise((resolve) => this.#pty.onExit(() => resolve()))
  }

  /** Types, and forgets what was heard before. */
  type(text: string): void {
    this.#heard = ''
    this.#pty.write(text)
  }

  /** Resolves as soon as the text was heard; what was heard up to its end is forgotten. */
  hears(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`it did not write ${JSON.stringify(text)}`)), LIMIT_MS)
      this.#listen = () => {
        const at = this.#heard.indexOf(text)
        if (at < 0) return
        clearTimeout(late)
        this.#heard = this.#heard.slice(at + text.length)
        this.#listen = () => {}
        resolve()
      }
      this.#listen()
    })
  }

  /** Milliseconds of a core that it has used. */
  cpuMs(): number {
    // The name of the program is in brackets and may hold anything; user and system time are the 12th and 13th behind it.
    const fields = this.#proc('stat').split(') ').at(-1)?.split(' ') ?? []
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
  }

  /** MiB that it holds. */
  residentMiB(): number {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(this.#proc('status'))?.[1]) / 1024
  }

  async stop(): Promise<void> {
    this.#pty.kill('SIGTERM')
    await this.ended
  }

  #proc(file: string): string {
    return readFileSync(`/proc/${this.#pty.pid}/${file}`, 'utf8')
  }
}
