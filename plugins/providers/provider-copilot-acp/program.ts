/** The program of Copilot as a child process, or one that runs already, as a pair of streams. */
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { errorMessage, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { killGroup } from 'svc/sdk/kit/process'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'

export type Deps = Pick<PluginContext<undefined>, 'use' | 'log'>

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

/** The file of the program; undefined when it is not there. */
export function findProgram({ use }: Pick<Deps, 'use'>): string | undefined {
  const secrets = use(Secrets)
  const named = secrets.get('COPILOT_CLI_PATH')
  if (named !== undefined) return isProgram(named) ? named : undefined
  const names = process.platform === 'win32' ? ['copilot.exe', 'copilot.cmd'] : ['copilot']
  const folders = (secrets.get('PATH') ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where a program listens; undefined: one is started. Throws `COPILOT_ADDRESS`. */
export function readAddress({ use }: Pick<Deps, 'use'>): { readonly host: string; readonly port: number } | undefined {
  const text = use(Secrets).get('COPILOT_ACP_BASE_URL')?.replace(/\/+$/, '')
  if (text === undefined || text === '' || text === 'acp://copilot') return undefined
  const [, host = '', port = ''] = /^(?:acp|tcp):\/\/(localhost|127\.0\.0\.1|\[::1\]):(\d{1,5})$/.exec(text) ?? []
  if (host !== '' && Number(port) > 0 && Number(port) < 65_536)
    return { host: host.replace(/[[\]]/g, ''), port: Number(port) }
  const message = `COPILOT_ACP_BASE_URL is "${text}". It looks like acp://127.0.0.1:3000, where copilot --acp --port 3000 runs, and names this machine: the connection is not encrypted.`
  throw new SvcError('COPILOT_ADDRESS', message)
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

export function explainMissing({ use }: Pick<Deps, 'use'>): string {
  const named = use(Secrets).get('COPILOT_CLI_PATH')
  return named === undefined
    ? 'copilot was not found on the path. Install it: npm install -g @github/copilot'
    : `COPILOT_CLI_PATH names ${named}, which is not a program.`
}
