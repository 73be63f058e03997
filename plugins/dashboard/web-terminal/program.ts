/** A program in a pseudo terminal, as bytes, in a process group of its own. */
import { constants as fsConstants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { IPty } from '@lydell/node-pty'
import { type Clock, errorMessage, SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import type { TerminalSize } from './client-frame.ts'

/** What to start. */
export interface ProgramLaunch {
  /** The program by its absolute path, and its arguments. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
}

/** How a program ended; 128 and the number of the signal that ended it. */
export interface ProgramEnd {
  readonly exitCode: number
}

/** A program that was started. */
export interface TerminalProgram {
  readonly pid: number
  readonly ended: Promise<ProgramEnd>
  /** Resolves when the program can take more. */
  write(bytes: Uint8Array): Promise<void>
  resize(size: TerminalSize): void
  /** Ends it with its process group: hang-up, then termination, then kill. Resolves when nothing of it is left. */
  end(): Promise<void>
}

const LADDER = ['SIGHUP', 'SIGTERM', 'SIGKILL'] as const
const RUNG_MS = 500
const TERMINAL = 'xterm-256color'

/** Throws `WEB_TERMINAL_START`. `onOutput` gets what it writes, in order. */
export async function startProgram(
  launch: ProgramLaunch,
  { size, clock, onOutput }: { size: TerminalSize; clock: Clock; onOutput(bytes: Uint8Array): void },
): Promise<TerminalProgram> {
  const [file = '', ...args] = launch.command
  const child = await spawn(launch, file, args, size)
  // With `encoding: null` they are buffers, other than the types say.
  child.onData((data) => onOutput(data as unknown as Uint8Array))
  let isOver = false
  /** Nothing of the group is left, so its number may be that of another one soon. */
  let isGone = false
  const ended = new Promise<ProgramEnd>((resolve) =>
    child.onExit(({ exitCode, signal }) => {
      isOver = true
      isGone = !isGroupThere(child.pid)
      resolve({ exitCode: signal ? 128 + signal : exitCode })
    }),
  )
  return {
    pid: child.pid,
    ended,
    write: (bytes) => (isOver ? Promise.resolve() : write(child, bytes, ended)),
    resize: ({ cols, rows }) => {
      if (!isOver) child.resize(cols, rows)
    },
    end: async () => {
      for (const signal of LADDER) {
        if (isGone || !signalGroup(child, signal)) break
        // Nothing outlives that one.
        if (signal === 'SIGKILL') break
        const gone = ended.then(() => (isGone ? undefined : new Promise<void>(() => {})))
        await waitAtMost(clock, RUNG_MS, gone)
      }
      await ended
    },
  }
}

async function spawn(launch: ProgramLaunch, file: string, args: string[], size: TerminalSize): Promise<IPty> {
  try {
    // The library would start a process in any case, which ends at once when this fails.
    await access(file, fsConstants.X_OK)
    if (!(await stat(launch.cwd)).isDirectory()) throw new Error(`${launch.cwd} is no folder`)
    const { default: pty } = await import('@lydell/node-pty')
    const env = { ...launch.environment, TERM: TERMINAL, COLORTERM: 'truecolor' }
    return pty.spawn(file, args, { ...size, name: TERMINAL, cwd: launch.cwd, env, encoding: null })
  } catch (cause) {
    const advice = 'Check that the program and the folder are there.'
    throw new SvcError('WEB_TERMINAL_START', `The terminal could not be started: ${errorMessage(cause)}. ${advice}`, {
      cause,
    })
  }
}

/**
 * The library has no way to tell when its input was taken. Its stream has, so that a program that does not read holds back
 * its client and fills no memory.
 */
function write(child: IPty, bytes: Uint8Array, ended: Promise<unknown>): Promise<void> {
  const stream = (child as { _socket?: NodeJS.WritableStream })._socket
  if (!stream) {
    child.write(Buffer.from(bytes).toString())
    return Promise.resolve()
  }
  const taken = new Promise<void>((resolve) => stream.write(bytes, () => resolve()))
  return Promise.race([taken, ended.then(() => undefined)])
}

/** False when nothing of the group is left. */
function signalGroup(child: IPty, signal: (typeof LADDER)[number]): boolean {
  if (process.platform === 'win32') {
    child.kill()
    return false
  }
  return trySignal(-child.pid, signal)
}

function isGroupThere(pid: number): boolean {
  return process.platform !== 'win32' && trySignal(-pid, 0)
}

function trySignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    // What may not be signalled (EPERM) cannot be ended, either.
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
