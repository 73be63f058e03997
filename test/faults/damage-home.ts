/** A home that was in use: conversations, spending, settings, an answer of the API. Every database has a backup. */
import { spawn } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  cpSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeFolder } from '../support/remove-folder.ts'

const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')
const KEY = 'only-for-this-test-only-for-this-test'
const PATIENCE_MS = 30_000
const LOOK_MS = 50
const QUESTIONS = 3
/** Files of built-in skills, of which one stands for all. */
const SKILL = /^skills\/[^.]/
const ONE_SKILL = 'skills/code/code-review/SKILL.md'

interface Said {
  readonly code: number | null
  /** Standard output and errors, in the order in which they arrived. */
  readonly text: string
  /** Standard output alone. */
  readonly output: string
}

/** What was acknowledged to the user. */
export interface Acknowledged {
  readonly conversations: readonly string[]
  readonly answer: string
}

/** A gateway with its API server. */
export interface Served {
  /** Undefined: it ended by itself. */
  readonly port: number | undefined
  readonly said: () => string
  readonly stop: () => Promise<number | null>
}

/** One home and what can be done in it through the built program. */
export class DamageHome {
  readonly home: string

  constructor(template?: DamageHome) {
    this.home = mkdtempSync(join(tmpdir(), 'svc-damage-'))
    mkdirSync(this.work, { recursive: true })
    if (template) cpSync(template.home, this.home, { recursive: true, preserveTimestamps: true })
  }

  get work(): string {
    return join(this.home, 'work')
  }

  get environment(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', HOME: this.work, SVC_HOME: this.home, API_SERVER_KEY: KEY }
  }

  command(...words: readonly string[]): readonly string[] {
    return [process.execPath, bin, ...words]
  }

  svc(...words: readonly string[]): Promise<Said> {
    const child = this.#begin(words)
    let text = ''
    let output = ''
    child.stderr.on('data', (part) => {
      text += part
    })
    child.stdout.on('data', (part) => {
      text += part
      output += part
    })
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, text, output })))
  }

  /** Lives through some use, and gets the backups of the next day. */
  async fill(): Promise<Acknowledged> {
    await this.svc('config', 'set', 'model.provider', 'demo')
    await this.svc('config', 'set', 'budget.account.day.usd', '5')
    for (let question = 1; question <= QUESTIONS; question++) await this.svc('chat', '-q', `note ${question}`)
    const { port, stop } = await this.serve()
    const { body } = await ask(port, '/v1/responses', { model: 'svc', input: 'hello' })
    await stop()
    for (const file of this.files().filter((each) => each.endsWith('.db')))
      copyFileSync(join(this.home, file), join(this.home, `${file}.backup`))
    return { conversations: await this.conversations(), answer: (body as { id: string }).id }
  }

  async conversations(): Promise<readonly string[]> {
    const { output } = await this.svc('sessions', 'list', '--json', '--limit', '100')
    const list = JSON.parse(output) as readonly { id: string }[] | { sessions: { id: string }[] }
    return ('sessions' in list ? list.sessions : list).map(({ id }) => id)
  }

  /** Paths below the home, without logs and what is not svc's. */
  files(): readonly string[] {
    const found = readdirSync(this.home, { recursive: true, withFileTypes: true })
    const paths = found
      .filter((each) => each.isFile())
      .map((each) => relative(this.home, join(each.parentPath, each.name)))
    return paths.filter((path) => !/^(logs|work)\//.test(path) && (!SKILL.test(path) || path === ONE_SKILL)).sort()
  }

  async serve(): Promise<Served> {
    const port = await freePort()
    const child = this.#begin(['gateway', 'run', '--no-supervise'], { API_SERVER_PORT: String(port) })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        text += part
      })
    let hasEnded = false
    const ended = new Promise<number | null>((resolve) => {
      child.on('close', (code) => {
        hasEnded = true
        resolve(code)
      })
    })
    const said = () => text
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end && !hasEnded; await pause(LOOK_MS)) {
      const isWell = await fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isWell) break
    }
    const stop = () => {
      child.kill('SIGTERM')
      return ended
    }
    return { port: hasEnded ? undefined : port, said, stop }
  }

  close(): void {
    removeFolder(this.home)
  }

  #begin(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const [program = '', ...args] = this.command(...words)
    return spawn(program, args, {
      cwd: this.work,
      env: { ...this.environment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
}

/** A request to the API server, with a body or without. */
export async function ask(port: number | undefined, path: string, body?: unknown) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: reply.status, body: (await reply.json()) as unknown }
}

/** What happens to files. The noise is always the same. */
export const damages: Readonly<Record<string, (file: string) => void>> = {
  'cut in half': (file) => write(file, readFileSync(file).subarray(0, statSync(file).size / 2)),
  emptied: (file) => write(file, Buffer.alloc(0)),
  'filled with zeros': (file) => write(file, Buffer.alloc(statSync(file).size)),
  'filled with noise': (file) => write(file, noise(statSync(file).size)),
  removed: (file) => rmSync(file),
}

/** In place: the file keeps its mode and its inode. */
function write(file: string, bytes: Buffer): void {
  const open = openSync(file, 'w')
  writeSync(open, bytes)
  fsyncSync(open)
  closeSync(open)
}

function noise(size: number): Buffer {
  let state = 0x9e3779b9
  return Buffer.from(
    Array.from({ length: size }, () => {
      state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5
      return (state >>> 11) & 0xff
    }),
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
