/**
 * Runs git on the bare store of svc. It never touches a repository of the user: all paths are explicit, nothing of the machine's
 * or the user's configuration is read, and no hook, filter or attribute applies.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Clock, SvcError } from 'svc/sdk'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'

/** What running git takes of the outside. */
export interface GitDeps {
  readonly clock: () => Clock
  /** The search path for programs. */
  readonly path: () => string
  /** Aborted when the plugin ends. */
  readonly signal: AbortSignal
}

const MIN_VERSION = [2, 20] as const
const LINE_FEED = 10
const LIMIT_MS = 30_000
const MAX_COMPLAINT = 2000
const INSTALL =
  'Install git 2.20 or newer: `apt install git`, `dnf install git`, `apk add git` or `brew install git`, then try again.'

const SETTINGS = [
  'safe.directory=*',
  'core.hooksPath=/dev/null',
  'core.protectNTFS=false',
  'core.protectHFS=false',
  'core.quotePath=false',
  'core.precomposeUnicode=false',
  'gc.auto=0',
  'gc.autoDetach=false',
  'pack.threads=1',
  'commit.gpgSign=false',
].flatMap((setting) => ['-c', setting])

/** How one command is run. */
export interface GitRun {
  readonly input?: string | Buffer
  /** Exit codes that are answers (default 0 only). */
  readonly codes?: readonly number[]
  readonly limitMs?: number
  /** A folder whose files the command reads. */
  readonly workTree?: string
}

/** A running command. Its opener calls `end`. */
export interface GitPipe {
  readonly output: ByteReader
  write(bytes: string | Buffer): Promise<void>
  /** Closes its input and waits; throws `CHECKPOINT_GIT` when it failed. */
  end(): Promise<void>
  /** Ends it at once. */
  kill(): void
}

/** One store. */
export class Git {
  readonly #deps: GitDeps
  readonly #dir: string
  #found: Promise<void> | undefined

  constructor(deps: GitDeps, dir: string) {
    this.#deps = deps
    this.#dir = dir
  }

  /** Finds git. Throws `CHECKPOINT_GIT`; tried again after a failure. */
  async available(): Promise<void> {
    this.#found ??= this.#version()
    try {
      await this.#found
    } catch (error) {
      this.#found = undefined
      throw error
    }
  }

  /** Finds git and creates a missing store. Throws `CHECKPOINT_GIT`. */
  async ready(): Promise<void> {
    await this.available()
    if (!existsSync(join(this.#dir, 'HEAD'))) await this.#create()
  }

  /** Whether anything was ever kept. */
  exists(): boolean {
    return existsSync(join(this.#dir, 'HEAD'))
  }

  /** Runs one command and returns what it wrote, one character for each byte. */
  async run(words: readonly string[], options: GitRun = {}): Promise<string> {
    const child = this.#spawn(words, options.workTree)
    const done = this.#watch(child, words, { ...options, until: 'close' })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk))
    child.stdin.end(options.input ?? '')
    await done
    return Buffer.concat(chunks).toString('latin1')
  }

  /** Starts a command that is talked to. */
  talk(words: readonly string[], limitMs: number = LIMIT_MS): GitPipe {
    const child = this.#spawn(words)
    const done = this.#watch(child, words, { limitMs, until: 'exit' })
    // Readers and writers get a failure at the end.
    done.catch(() => undefined)
    const output = new ByteReader(child.stdout)
    return {
      output,
      write: async (bytes) => {
        if (child.stdin.destroyed || child.stdin.write(bytes)) return
        await Promise.race([once(child.stdin, 'drain').catch(() => done), done])
      },
      end: async () => {
        child.stdin.end()
        await output.drain()
        await done
      },
      kill: () => {
        child.kill('SIGKILL')
        child.stdout.destroy()
      },
    }
  }

  async #version(): Promise<void> {
    const said = await this.run(['--version'])
    const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? []
    const [needsMajor, needsMinor] = MIN_VERSION
    const isOld = Number(major) < needsMajor || (Number(major) === needsMajor && Number(minor) < needsMinor)
    if (!major || isOld) throw new SvcError('CHECKPOINT_GIT', `${said.trim() || 'This git'} is too old. ${INSTALL}`)
  }

  /** Under another name first, so that no half-made store is taken for one. */
  async #create(): Promise<void> {
    const fresh = `${this.#dir}.${process.pid}.new`
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(fresh, { recursive: true, mode: 0o700 })
    await new Git(this.#deps, fresh).run(['init', '--quiet', '--bare', '--template=', fresh])
    try {
      renameSync(fresh, this.#dir)
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true })
      // Another process was faster.
      if (!this.exists()) throw error
    }
  }

  #spawn(words: readonly string[], workTree?: string): ChildProcessWithoutNullStreams {
    return spawn('git', [...SETTINGS, ...words], {
      cwd: workTree ?? '/',
      stdio: 'pipe',
      env: {
        // What a repository makes git start works for the agent.
        [AGENT_PROCESS_VARIABLE]: 'checkpoints',
        PATH: this.#deps.path(),
        LC_ALL: 'C',
        GIT_DIR: this.#dir,
        ...(workTree !== undefined && { GIT_WORK_TREE: workTree, GIT_INDEX_FILE: join(this.#dir, 'no-index') }),
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_ATTR_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_NO_REPLACE_OBJECTS: '1',
      },
    })
  }

  /** Resolves when it has ended well. */
  async #watch(
    child: ChildProcessWithoutNullStreams,
    words: readonly string[],
    { codes = [0], limitMs = LIMIT_MS, until }: GitRun & { readonly until: 'exit' | 'close' },
  ): Promise<void> {
    const { clock, signal } = this.#deps
    let complaint = ''
    let isLate = false
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < MAX_COMPLAINT) complaint += chunk.toString()
    })
    // A program that ends early closes its input; how it ended is what counts.
    child.stdin.on('error', () => undefined)
    const kill = () => void child.kill('SIGKILL')
    const cancel = clock().after(limitMs, () => {
      isLate = true
      kill()
    })
    if (signal.aborted) kill()
    signal.addEventListener('abort', kill, { once: true })
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.on('error', reject)
        child.on(until, resolve)
      })
      if (!child.stderr.closed) await once(child.stderr, 'close')
      if (code !== null && codes.includes(code)) return
      if (isLate) throw new SvcError('CHECKPOINT_SLOW', `git ${words[0]} took longer than ${limitMs / 1000} seconds.`)
      throw new SvcError('CHECKPOINT_GIT', `git ${words[0]}: ${complaint.trim() || `ended with ${code}`}`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      throw new SvcError('CHECKPOINT_GIT', `There is no git on this machine. ${INSTALL}`, { cause: error })
    } finally {
      cancel()
      signal.removeEventListener('abort', kill)
    }
  }
}

/** Reads lines and counted bytes from the output of a program, on demand. It is the only reader. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** The next line without its end; undefined at the end of the output. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(LINE_FEED)
      if (end !== -1) {
        const line = this.#rest.toString('latin1', 0, end)
        this.#rest = this.#rest.subarray(end + 1)
        return line
      }
      if (!(await this.#more())) return undefined
    }
  }

  /** Exactly so many bytes; undefined when the output ends before. */
  async bytes(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    let missing = count
    for (;;) {
      const part = this.#rest.subarray(0, missing)
      parts.push(part)
      missing -= part.length
      this.#rest = this.#rest.subarray(part.length)
      if (missing === 0) return parts.length === 1 ? part : Buffer.concat(parts)
      if (!(await this.#more())) return undefined
    }
  }

  /** Reads what there is left and drops it. */
  async drain(): Promise<void> {
    do this.#rest = Buffer.alloc(0)
    while (await this.#more())
  }

  async #more(): Promise<boolean> {
    // A killed program truncates its output: its exit is handled by the waiting code.
    const { done, value } = await this.#chunks.next().catch(() => ({ done: true, value: undefined }))
    if (done || value === undefined) return false
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    return true
  }
}
