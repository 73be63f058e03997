/** Starts a browser of our own, with a profile that ends with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { type Clock, SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { isPidInUse, killGroup } from 'svc/sdk/kit/process'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import type { OpenWire } from './cdp.ts'
import { pipeWire } from './pipe-wire.ts'

const PREFIX = 'svc-browser-'
const GRACE_MS = 3000
const LAST_WORDS_MS = 2000

/** WebSockets take the SOCKS proxy, which is not there: nothing checks where they lead. Pages are fetched directly. */
const NO_WEB_SOCKETS = [
  '--proxy-server=http=direct://;https=direct://;socks=127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
]

const FLAGS = [
  '--headless=new',
  '--remote-debugging-pipe',
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-gpu',
  '--disable-sync',
  '--disable-back-forward-cache',
  '--disable-features=Translate,MediaRouter,OptimizationHints,Prerender2,AutofillServerCommunication',
  '--deny-permission-prompts',
  '--mute-audio',
  '--metrics-recording-only',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--window-size=1280,800',
  ...NO_WEB_SOCKETS,
]

/** A browser that runs. */
export interface Launched {
  readonly open: OpenWire
  readonly pid: number
  /** Rejects with `BROWSER_START` when the browser exits. An unobserved rejection is harmless. */
  readonly failed: Promise<never>
  /** Ends it with all its processes and removes the profile. */
  kill(): Promise<void>
}

/** Whether the browser's own sandbox must be off: it refuses to run as root with it. */
export function needsNoSandbox(): boolean {
  return process.getuid?.() === 0
}

/** Throws `BROWSER_START` when it cannot be run. `path` is the PATH it gets; nothing else of the environment is. */
export async function launchBrowser(executable: string, path: string, clock: Clock): Promise<Launched> {
  removeLeftProfiles()
  const profile = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const flags = [...FLAGS, `--user-data-dir=${profile}`, ...(needsNoSandbox() ? ['--no-sandbox'] : [])]
  const child = spawn(executable, flags, {
    cwd: profile,
    // Its own process group, so that all of it can be killed at once.
    detached: true,
    env: { [AGENT_PROCESS_VARIABLE]: 'browser', PATH: path, HOME: profile, TMPDIR: profile, LANG: 'en_US.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const failed = failure(child, executable, clock)
  // Reported to the caller that still waits for the start.
  failed.catch(() => undefined)
  const input = child.stdio[3] as Writable
  const output = child.stdio[4] as Readable
  const kill = async () => {
    input.destroy()
    output.destroy()
    await waitAtMost(clock, GRACE_MS, exited)
    killGroup(child.pid, 'SIGKILL')
    await exited
    // What it said last is read before its output is closed.
    await failed.catch(() => undefined)
    child.stderr?.destroy()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  return { open: pipeWire(input, output), pid: child.pid ?? 0, failed, kill }
}

function failure(child: ChildProcess, executable: string, clock: Clock): Promise<never> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-1500)
  })
  return new Promise((_, reject) => {
    child.once('error', (cause) => {
      reject(new SvcError('BROWSER_START', `${executable} cannot be run: ${cause.message}`, { cause }))
    })
    child.once('exit', async (code, signal) => {
      const end = signal === null ? `ended with ${code}` : `was ended by ${signal}`
      // The exit is reported before what was still in the pipe. A child of the browser can hold the pipe open.
      if (child.stderr?.readableEnded === false) await waitAtMost(clock, LAST_WORDS_MS, once(child.stderr, 'close'))
      reject(new SvcError('BROWSER_START', `${executable} ${end}. It said: ${said.trim() || 'nothing'}`))
    })
  })
}

/** Profiles of processes that were killed before they could remove them. */
function removeLeftProfiles(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? []
    if (pid !== undefined && !isPidInUse(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}
