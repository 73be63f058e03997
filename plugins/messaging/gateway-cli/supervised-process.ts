/** The two ends of the line between a gateway and the process that watches over it. */
import { spawn } from 'node:child_process'
import type { Home } from 'svc/sdk'
import type { Ending, Order } from './ending.ts'

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A gateway that is watched over. */
export interface Child {
  readonly pid: number
  readonly ended: Promise<ProcessEnd>
  /** Does nothing if it was removed. */
  tell(order: Order): void
  kill(): void
}

/** Runs this very program for a home, up to the command. The profile is always named: another one may be the active one. */
export function programWords({ profile = 'default' }: Home): string[] {
  const [program = process.execPath, script = ''] = [process.execPath, process.argv[1]]
  return [program, ...process.execArgv, script, '--profile', profile]
}

/**
 * Starts the gateway. It has its own process group, so that Ctrl-C reaches only its supervisor, and ends on its
 * itself when the connection to the parent is closed. Its output goes to `write`, or to the output of this process.
 */
export function startChild(
  words: readonly string[],
  write: ((text: string) => void) | undefined,
  cwd = process.cwd(),
): Child {
  const [program = '', ...args] = words
  const channel = write ? 'pipe' : 'inherit'
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', channel, channel, 'ipc'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  for (const stream of write ? [child.stdout, child.stderr] : [])
    stream?.setEncoding('utf8').on('data', (text: string) => write?.(text))
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  return {
    pid: child.pid ?? 0,
    ended,
    tell: (order) => {
      if (child.connected) child.send(order, () => {})
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Obeys the watching process until the returned function is called; `orphaned` is called when it has ended. */
export function onSupervisor(supervisor: number | undefined, ending: Ending, orphaned: () => void): () => void {
  if (supervisor === undefined) return () => {}
  const told = (message: unknown) => {
    const order = (message as Partial<Order> | undefined)?.order
    if (order === 'stop') ending.ask({ kind: 'stop', reason: 'a signal asked it to stop' })
    if (order === 'restart') ending.ask({ kind: 'restart', reason: 'SIGUSR1 asked for a restart' })
  }
  const lost = () => {
    ending.ask({ kind: 'stop', reason: 'the process that watched over it is gone', drainMs: 0 })
    orphaned()
  }
  process.on('message', told)
  process.once('disconnect', lost)
  if (!process.connected) lost()
  return () => {
    process.off('message', told)
    process.off('disconnect', lost)
  }
}
