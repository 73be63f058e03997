/** Starts programs with pipes or in a terminal, and lets both be used alike. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { StringDecoder } from 'node:string_decoder'
import { errorMessage, SvcError } from 'svc/sdk'
import type { SpawnSpec } from 'svc/sdk/shell'

/** The size of an unattended terminal. */
const SIZE = { cols: 120, rows: 40 }
/** Output that may arrive after the end, from children that still hold the pipe, is not waited for longer. */
const LAST_OUTPUT_TURNS = 50

/** A program that was started. */
export interface Program {
  readonly pid: number
  /** False when its input is closed. */
  write(text: string): boolean
  /** Ends its input. */
  closeInput(): void
}

/** What is heard of it. `onExit` is called once, after its output. */
export interface ProgramEvents {
  readonly onOutput: (text: string) => void
  readonly onExit: (exitCode: number) => void
}

/** With pipes for input and output. Throws `PROCESS_START`. */
export async function startPiped(launch: SpawnSpec, events: ProgramEvents): Promise<Program> {
  const [file = '', ...args] = launch.command
  const child = spawn(file, args, { cwd: launch.cwd, env: { ...launch.environment }, detached: true, stdio: 'pipe' })
  const { stdin } = child
  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  // The reader may have exited; the next write is refused.
  stdin.on('error', () => undefined)
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8')
    stream.on('data', (chunk: Buffer) => events.onOutput(decoder.write(chunk)))
  }
  child.once('exit', (code, signal) => {
    const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
    afterOutput([child.stdout, child.stderr], () => events.onExit(exitCode))
  })
  await started.catch((error: unknown) => {
    throw new SvcError('PROCESS_START', `${file} could not be started: ${errorMessage(error)}`, { cause: error })
  })
  const write = (text: string) => {
    if (!stdin.writable) return false
    stdin.write(text)
    return true
  }
  return { pid: child.pid ?? 0, write, closeInput: () => stdin.end() }
}

/** Calls back when the streams have ended, or a little later if another process holds them open. */
function afterOutput(streams: readonly { readableEnded: boolean; destroy(): void }[], done: () => void): void {
  let turns = 0
  const look = () => {
    if (turns++ < LAST_OUTPUT_TURNS && !streams.every((stream) => stream.readableEnded)) return setImmediate(look)
    for (const stream of streams) stream.destroy()
    return done()
  }
  look()
}

/** In a new terminal. Throws `PROCESS_NO_PTY` or `PROCESS_START`. */
export async function startInTerminal(launch: SpawnSpec, events: ProgramEvents): Promise<Program> {
  const pty = await import('@lydell/node-pty').then(
    (module) => module.default,
    (cause: unknown) => {
      const message = `No terminal can be made here (${errorMessage(cause)}); run the command without pty.`
      throw new SvcError('PROCESS_NO_PTY', message, { cause })
    },
  )
  const [file = '', ...args] = launch.command
  const env = { ...launch.environment, TERM: 'xterm-256color' }
  try {
    const child = pty.spawn(file, args, { ...SIZE, name: 'xterm-256color', cwd: launch.cwd, env })
    child.onData(events.onOutput)
    let ended = false
    child.onExit(({ exitCode, signal }) => {
      ended = true
      events.onExit(signal ? 128 + signal : exitCode)
    })
    const write = (text: string) => {
      if (!ended) child.write(text)
      return !ended
    }
    // Ctrl-D, which a terminal takes for the end of the input at the beginning of a line.
    return { pid: child.pid, write, closeInput: () => void write('\x04') }
  } catch (error) {
    throw new SvcError('PROCESS_START', `${file} could not be started: ${errorMessage(error)}`, { cause: error })
  }
}
