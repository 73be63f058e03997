/** Starts a shell process with the descriptors that `Shell` speaks through. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type Clock, SvcError } from 'svc/sdk'
import { openOutputPipe } from './output-pipe.ts'
import { MARK_VARIABLE } from './processes.ts'
import { Shell } from './shell.ts'

const SHELLS: readonly (readonly [file: string, ...args: string[]])[] = [['bash', '--noprofile', '--norc'], ['sh']]

/** How a shell is started. */
export interface StartOptions {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Unguessable; marks everything the shell starts. */
  readonly mark: string
  readonly clock: Clock
}

/** Starts bash, or sh where there is none. Throws `TERMINAL_NO_SHELL` or `TERMINAL_NO_FOLDER`. */
export async function startShell(options: StartOptions): Promise<Shell> {
  if (!(await canEnter(options.cwd))) {
    throw new SvcError('TERMINAL_NO_FOLDER', `The folder ${options.cwd} does not exist or cannot be entered.`)
  }
  for (const [file, ...args] of SHELLS) {
    const shell = await tryShell(file, args, options)
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

async function tryShell(file: string, args: readonly string[], options: StartOptions): Promise<Shell | undefined> {
  const pipe = await openOutputPipe()
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...options.environment, [MARK_VARIABLE]: options.mark },
    // A session of its own: Ctrl-C in the user's terminal does not reach it, and its members can be found.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', pipe?.writer ?? 'pipe', 'pipe'],
  })
  if (pipe !== undefined) closeSync(pipe.writer)
  if (await started(child)) {
    const streams: readonly unknown[] = child.stdio
    const output = pipe?.reader ?? (streams[6] as Readable)
    const control = streams[7] as Readable
    return new Shell({ child, output, control, mark: options.mark, cwd: options.cwd }, options.clock)
  }
  pipe?.reader.destroy()
  return undefined
}

function started(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
}
