/** The program of Copilot as a child process, or one that runs already, as a pair of streams. */
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { errorMessage, Secrets, SvcError } from 'svc/sdk'
import { killGroup } from 'svc/sdk/kit/process'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { type Deps, explainMissing, findProgram, readAddress } from './place.ts'

/** https://docs.github.com/en/copilot/reference/copilot-cli-reference/acp-server */
const WORDS = ['--acp', '--stdio']
const STDERR_BYTES = 2000
/** What the program needs of the environment; of secrets only its own. */
const NAMES = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'TZ', 'SHELL', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'COPILOT_HOME'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'NODE_EXTRA_CA_CERTS'],
  ...['SystemRoot', 'SYSTEMDRIVE', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH'],
  ...['TEMP', 'TMP', 'PATHEXT', 'COMSPEC', 'GH_HOST', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
]

/** An open line to the program. */
export interface Line {
  readonly input: Writable
  readonly output: Readable
  /** Resolves when it has ended, with the end of what it wrote to standard error. */
  readonly closed: Promise<string>
  close(): void
}

/** Throws `COPILOT_ADDRESS`, `COPILOT_MISSING` and `COPILOT_CONNECTION`. */
export async function openLine(deps: Deps, cwd: string): Promise<Line> {
  const address = readAddress(deps)
  return address ? openSocket(address) : startProgram(deps, cwd)
}

async function startProgram(deps: Deps, cwd: string): Promise<Line> {
  const file = findProgram(deps)
  if (file === undefined) throw new SvcError('COPILOT_MISSING', explainMissing(deps))
  const child = spawn(file, WORDS, {
    cwd,
    env: createEnvironment(deps),
    stdio: 'pipe',
    windowsHide: true,
    // It starts programs of its own, which end with it.
    detached: process.platform !== 'win32',
    shell: file.endsWith('.cmd'),
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-STDERR_BYTES)
  })
  // A program that has ended takes nothing more: its end is told by `closed`.
  child.stdin.on('error', () => {})
  const closed = new Promise<string>((resolve) => {
    child.once('close', () => resolve(deps.use(Secrets).mask(errors.trim())))
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => {
      reject(new SvcError('COPILOT_CONNECTION', `${file} cannot be run: ${errorMessage(cause)}.`, { cause }))
    })
  })
  child.on('error', (error) => deps.log.warn('Copilot CLI reports an error', { error }))
  return { input: child.stdin, output: child.stdout, closed, close: () => killGroup(child.pid, 'SIGTERM') }
}

function createEnvironment({ use }: Deps): Record<string, string> {
  const secrets = use(Secrets)
  const known = NAMES.flatMap((name) => {
    const value = secrets.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(known), [AGENT_PROCESS_VARIABLE]: 'copilot-acp' }
}

async function openSocket({ host, port }: { readonly host: string; readonly port: number }): Promise<Line> {
  const socket = connect(port, host)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', (cause) => {
      const advice = `Start it: copilot --acp --port ${port}`
      reject(new SvcError('COPILOT_CONNECTION', `No Copilot CLI answers at ${host}:${port}. ${advice}`, { cause }))
    })
  })
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve('')))
  return { input: socket, output: socket, closed, close: () => socket.destroy() }
}
