/** Starts a shell process of this machine with the descriptors that `Shell` speaks through. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { access, mkdtemp, rm, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { type Clock, SvcError } from 'svc/sdk'
import type { SandboxNeed, ShellEnvironment } from 'svc/sdk/shell'
import { MARK_VARIABLE } from './processes.ts'
import { Shell } from './shell.ts'

const SHELLS: readonly (readonly [file: string, ...args: string[]])[] = [['bash', '--noprofile', '--norc'], ['sh']]

/** How a shell is started. */
export interface StartOptions {
  readonly terminal: ShellEnvironment
  readonly cwd: string
  /** Unguessable; marks everything the shell starts. */
  readonly mark: string
  readonly clock: Clock
  /** What was granted to it besides, where the terminal confines. */
  readonly needs?: readonly SandboxNeed[]
}

/** Starts bash, or sh without bash. Throws `TERMINAL_NO_SHELL` or `TERMINAL_NO_FOLDER`. */
export async function startShell(options: StartOptions): Promise<Shell> {
  if (!(await canEnter(options.cwd))) {
    throw new SvcError('TERMINAL_NO_FOLDER', `The folder ${options.cwd} does not exist or cannot be entered.`)
  }
  for (const command of SHELLS) {
    const shell = await tryShell(command, options)
    if (shell !== undefined) return shell
  }
  throw new SvcError('TERMINAL_NO_SHELL', 'Neither bash nor sh could be started; install one and put it on the PATH.')
}

/** Whether a path is a folder that can be worked in. */
export async function canEnter(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

async function tryShell(shell: readonly string[], options: StartOptions): Promise<Shell | undefined> {
  const { terminal, mark, cwd, needs = [] } = options
  const launch = await terminal.launch({ command: shell, pty: false, cwd, needs })
  const pipe = await openOutputPipe()
  const [file = '', ...args] = launch.command
  const child = spawn(file, args, {
    cwd: launch.cwd,
    env: { ...launch.environment, [MARK_VARIABLE]: mark },
    // A new session: Ctrl-C in the user's terminal does not reach it, and its members can be found.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', pipe?.writer ?? 'pipe', 'pipe'],
  })
  child.once('close', () => void launch.close?.())
  if (pipe !== undefined) closeSync(pipe.writer)
  if (await hasSpawned(child)) {
    const streams: readonly unknown[] = child.stdio
    const output = pipe?.reader ?? (streams[6] as Readable)
    const control = streams[7] as Readable
    const wrapped = file !== shell[0]
    const start = { program: shell, cwd, command: launch.command }
    return new Shell({ child, output, control, mark, cwd, wrapped, start }, options.clock)
  }
  pipe?.reader.destroy()
  await launch.close?.()
  return undefined
}

function hasSpawned(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
}

/** Both ends of a pipe. The caller closes `writer` (a file descriptor) once the child has it, and destroys `reader`. */
interface OutputPipe {
  readonly reader: Socket
  readonly writer: number
}

/**
 * Node gives children a socket, which programs cannot open again (`echo problem > /dev/stderr` fails with ENXIO on
 * Linux); a named pipe behaves like the one of any other shell. Undefined where none can be made: no `mkfifo`, no
 * temporary folder.
 */
async function openOutputPipe(): Promise<OutputPipe | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-')).catch(() => undefined)
  if (folder === undefined) return undefined
  try {
    const path = join(folder, 'output')
    await promisify(execFile)('mkfifo', ['-m', '600', path])
    return openEnds(path)
  } catch {
    // The caller then takes a socket, which serves all commands but those that open /dev/stdout again.
    return undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function openEnds(path: string): OutputPipe {
  // The reading end first and without blocking: opening the other end then finds its partner at once.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const writer = openSync(path, constants.O_WRONLY)
    return { reader: new Socket({ fd: readEnd, readable: true, writable: false }), writer }
  } catch (error) {
    closeSync(readEnd)
    throw error
  }
}
