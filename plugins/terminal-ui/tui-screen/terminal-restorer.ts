/** A small process that gives the terminal back when this one is killed and cannot do it any more. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { Clock, Logger } from 'svc/sdk'

/** Reading the settings takes milliseconds; a machine that needs this long does without the guard. */
const READY_MS = 1000

/**
 * 0 is a pipe from us, 3 and 4 are the terminal. The pipe ends when we do, however that happens. Settings that are no
 * longer ours belong to another program by then, such as the shell, and stay.
 */
const script = `
saved=$(stty -g <&3) || exit 0
echo ready
taken= leave= raw=
while read -r word text; do
  case $word in
    take) taken=1 leave=$text raw=$(stty -g <&3) ;;
    give) taken= ;;
  esac
done
[ "$taken" ] || exit 0
printf %s "$leave" >&4
[ "$(stty -g <&3)" = "$raw" ] && stty "$saved" <&3
`

/** Knows whether the terminal is taken. */
export interface Guard {
  /** `leave` is what it writes to give the terminal back. */
  take(leave: string): void
  give(): void
  /** Ends it at once, without its doing anything. */
  end(): void
}

export interface GuardOptions {
  readonly input: NodeJS.ReadStream & { readonly fd?: number }
  readonly output: NodeJS.WriteStream & { readonly fd?: number }
  readonly clock: Clock
  readonly log: Logger
  /** Where its programs are found. It gets no other variable: it lives as long as svc, and any program can read them. */
  readonly path: string
}

/**
 * Resolves when it has read the terminal's settings, so before they may be changed. Undefined: there is no terminal.
 */
export async function startGuard({ input, output, clock, log, path }: GuardOptions): Promise<Guard | undefined> {
  if (input.fd === undefined || output.fd === undefined) return undefined
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    // A new session: no signal from the keyboard, and no stop when it configures the terminal.
    detached: true,
    env: { PATH: path },
    stdio: ['pipe', 'pipe', 'ignore', input.fd, output.fd],
  })
  if (!(await isReady(child, clock))) {
    child.kill('SIGKILL')
    log.warn('the terminal will not be given back after SIGKILL: /bin/sh or stty did not answer')
    return undefined
  }
  const pipe = child.stdin as Writable & { unref(): void }
  pipe.on('error', (error) => log.debug('the guard of the terminal is gone', { error: String(error) }))
  pipe.unref()
  child.unref()
  const tell = (word: string) => void (pipe.writable && pipe.write(`${word}\n`))
  return { take: (leave) => tell(`take ${leave}`), give: () => tell('give'), end: () => void child.kill('SIGKILL') }
}

function isReady(child: ChildProcess, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(READY_MS, () => settle(false))
    const settle = (ready: boolean) => {
      cancel()
      child.stdout?.destroy()
      resolve(ready)
    }
    child.once('error', () => settle(false))
    child.once('exit', () => settle(false))
    child.stdout?.once('data', () => settle(true))
  })
}
