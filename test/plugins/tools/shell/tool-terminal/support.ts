/** What the terminal's tests share: shells on the real bash, and a look at what is left of them. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from 'svc/sdk'
import { localTerminal } from '../../../../../plugins/tools/shell/tool-terminal/backends.ts'
import type { Outcome, RunOptions, Shell } from '../../../../../plugins/tools/shell/tool-terminal/shell.ts'
import { startShell } from '../../../../../plugins/tools/shell/tool-terminal/start-shell.ts'
import { removeFolder } from '../../../../support/remove-folder.ts'

/** The clock on the wall, for tests in which real processes take real time. */
export const wallClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}

/** Its short timers take a minute: for what must be seen before a time limit, on a machine of any load. */
export const patientClock: Clock = {
  ...wallClock,
  after: (ms, callback) => wallClock.after(Math.max(ms, 60_000), callback),
}

/** A folder that ends with the test. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'svc-terminal-')))
  return { path, [Symbol.dispose]: () => removeFolder(path) }
}

/** A fresh mark, by which all processes of a test are found. */
export function newMark(): string {
  return randomBytes(12).toString('hex')
}

/** Processes, other than zombies, whose environment holds the text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isAliveWith(name, text))
    .map(Number)
}

function isAliveWith(pid: string, text: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const isZombie = stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
    return !isZombie && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text)
  } catch {
    // It ended while it was looked at, or belongs to someone else.
    return false
  }
}

/** A shell under test. Disposing of it ends it and fails when one of its processes is left. */
export interface TestShell extends AsyncDisposable {
  readonly shell: Shell
  readonly mark: string
  /** Runs a command and collects what it writes. */
  run(command: string, options?: Omit<RunOptions, 'onOutput'>): Promise<Outcome & { readonly bytes: Buffer }>
  /** The same, with the output as text and nothing else. */
  text(command: string): Promise<string>
}

/** Starts a shell in a folder. */
export async function openShell(cwd: string, environment: Record<string, string> = {}): Promise<TestShell> {
  const mark = newMark()
  const path = process.env['PATH'] ?? ''
  const terminal = localTerminal(cwd, { PATH: path, ...environment })
  const shell = await startShell({ cwd, mark, clock: wallClock, terminal })
  const run: TestShell['run'] = async (command, options = {}) => {
    const chunks: Buffer[] = []
    const outcome = await shell.run(command, { ...options, onOutput: (chunk) => chunks.push(chunk) })
    return { ...outcome, bytes: Buffer.concat(chunks) }
  }
  return {
    shell,
    mark,
    run,
    text: async (command) => (await run(command)).bytes.toString(),
    async [Symbol.asyncDispose]() {
      await shell.kill()
      const left = processesWith(mark)
      if (left.length > 0) throw new Error(`processes are left: ${left.join(', ')}`)
    },
  }
}
