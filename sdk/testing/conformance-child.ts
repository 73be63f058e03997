/** Conformance in a separate process, for untrusted code: it may hang, crash or end the process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { ProcessSandbox, SandboxedLaunch } from '../confinement.ts'
import { errorCode } from '../errors.ts'
import { builtKit } from './built-kit.ts'
import type { ConformanceReport } from './conformance.ts'
import type { ConformanceCase, ConformanceWatch } from './examination.ts'

/**
 * The settings of the plugin, the time limit for the whole run (default 120,000 ms), and a listener for progress.
 * @since 0.2
 */
export interface ConformanceChildOptions extends ConformanceWatch {
  /** Stands in for config.yaml. */
  readonly config?: Record<string, unknown>
  /** Folders of other plugins that it needs: they are loaded with it. */
  readonly with?: readonly string[]
  /** The files to examine, relative to the folder. Left out: those that a package would publish, or all. */
  readonly files?: readonly string[]
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /**
   * Confines the child: no network but its own loopback, and no files but the plugin's folder (to read), the package of
   * svc and a temporary folder. Throws `CONFINEMENT_FAILED` where this machine cannot. Left out: it may do what this
   * process may.
   */
  readonly confinement?: Pick<ProcessSandbox, 'launch'>
}

/** What the child says, a line each, on a pipe that the plugin's own output does not reach. */
type Line = { readonly start: string } | { readonly done: ConformanceCase } | { readonly plugin: string }

/** Written synchronously, so that the last line is out before the plugin can block everything. */
const program = `
import { writeSync } from 'node:fs'
const [address, options] = process.argv.slice(1)
const say = (line) => writeSync(3, JSON.stringify(line) + '\\n')
const { conformance } = await import(address)
const watch = { onStart: (start) => say({ start }), onEnd: (done) => say({ done }) }
const { plugin } = await conformance({ ...JSON.parse(options), ...watch })
say({ plugin })
process.exit(0)
`

/** The environment variables that a process needs to run. None of them is secret. */
const needed = ['PATH', 'SystemRoot', 'LANG']
/** Where it may leave files: all in one folder, which is removed. */
const places = ['HOME', 'USERPROFILE', 'TMPDIR', 'TEMP', 'TMP']

const ERROR_CHARACTERS = 2000
const PIPES_MS = 500

/**
 * Examines the folder in a child process, which is ended after `timeoutMs` whatever it does; the report then names the
 * case in which it hung. Needs the built package: from the sources it is the one in \`dist\`.
 * @since 0.1
 */
export async function conformanceInChild(
  dir: string,
  options: ConformanceChildOptions = {},
): Promise<ConformanceReport> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
  try {
    const launch = await createLaunch(resolve(dir), folder, options)
    try {
      return await examined(basename(resolve(dir)), launch, options)
    } finally {
      await launch.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function createLaunch(dir: string, folder: string, options: ConformanceChildOptions): Promise<SandboxedLaunch> {
  const { config, confinement, files } = options
  const companions = (options.with ?? []).map((each) => resolve(each))
  const kit = builtKit()
  const command = (at: string) => {
    const given = JSON.stringify({ dir: at, config, with: companions, files })
    return [process.execPath, '--input-type=module', '-e', program, pathToFileURL(kit.file).href, given]
  }
  const environment = Object.fromEntries([
    ...needed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ...places.map((name) => [name, folder]),
  ])
  if (confinement === undefined) {
    const close = async () => {}
    return { command: command(dir), environment, cwd: process.cwd(), close, [Symbol.asyncDispose]: close }
  }
  const launch = (project: string) =>
    confinement.launch(command(project), {
      ...{ project, access: 'read', cwd: project, temporary: join(folder, 'inside'), environment },
      needs: [kit.packages, ...companions].map((path) => `read:${path}`),
    })
  try {
    return await launch(dir)
  } catch (error) {
    if (errorCode(error) !== 'CONFINEMENT_FAILED') throw error
    // In the home of svc, of which a confined program sees nothing: a copy is examined.
    const copy = join(folder, basename(dir))
    cpSync(dir, copy, { recursive: true, verbatimSymlinks: true })
    return launch(copy)
  }
}

async function examined(
  name: string,
  launch: SandboxedLaunch,
  options: ConformanceChildOptions,
): Promise<ConformanceReport> {
  const { timeoutMs = 120_000, signal, onStart, onEnd } = options
  const { command, environment: env, cwd } = launch
  const [file = '', ...args] = command
  const child = spawn(file, args, { env, cwd, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  let end: string | undefined
  const kill = (why: string) => {
    end = why
    killAll(child.pid)
  }
  const timer = setTimeout(() => kill(`it did not end within ${timeoutMs / 1000} s`), timeoutMs)
  const abort = () => kill('it was interrupted')
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  const story = new Story(name, { ...(onStart && { onStart }), ...(onEnd && { onEnd }) })
  const errors = tail(child.stderr as Readable)
  try {
    const said = child.stdio[3] as Readable
    // A program that left the group of the child may hold the pipe open for ever.
    const over = ended(child).then(() => said.destroy())
    child.once('error', (error) => kill(error.message))
    const lines = createInterface({ input: said })
    said.once('close', () => lines.close())
    for await (const line of lines) story.take(JSON.parse(line) as Line)
    await over
    return story.report([
      end ?? `it ended the process (${child.signalCode ?? `exit code ${child.exitCode}`})`,
      errors.text(),
    ])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    killAll(child.pid)
  }
}

/** What is known of a run that may stop anywhere. */
class Story {
  #plugin: string
  #watch: ConformanceWatch
  #cases: ConformanceCase[] = []
  #current = 'the kit starts'
  #isWhole = false

  constructor(name: string, watch: ConformanceWatch) {
    this.#plugin = name
    this.#watch = watch
  }

  take(line: Line): void {
    if ('start' in line) {
      this.#current = line.start
      this.#watch.onStart?.(line.start)
    } else if ('done' in line) {
      this.#cases.push(line.done)
      this.#watch.onEnd?.(line.done)
    } else {
      this.#plugin = line.plugin
      this.#isWhole = true
    }
  }

  /** `end` is what happened if the run is not whole. */
  report(end: readonly string[]): ConformanceReport {
    const reason = end.filter(Boolean).join(': ')
    if (!this.#isWhole) this.take({ done: { name: this.#current, result: 'failed', reason } })
    return { plugin: this.#plugin, ok: this.#cases.every(({ result }) => result !== 'failed'), cases: this.#cases }
  }
}

/** The child's end. What it started goes with it. */
function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once('close', () => done())
    child.once('exit', () => {
      // A grandchild that was given the pipes would hold them open for ever.
      killAll(child.pid)
      setTimeout(done, PIPES_MS).unref()
    })
    child.once('error', () => done())
  })
}

/** The child and all it started. */
function killAll(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function tail(stream: Readable): { text(): string } {
  let text = ''
  stream.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-ERROR_CHARACTERS)
  })
  return { text: () => text.trim() }
}
