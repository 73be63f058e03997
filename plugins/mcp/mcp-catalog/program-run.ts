/** Runs git and the bootstrap commands of an entry: in a group of their own, with few variables, and not longer than a limit. */
import { type ChildProcess, spawn } from 'node:child_process'
import { type Clock, errorMessage, type Secrets, SvcError } from 'svc/sdk'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'

const LIMIT_MS = 900_000
const MAX_OUTPUT = 4 * 2 ** 20
/** Pipes that something keeps open after the end of the program are not waited for longer than this. */
const DRAIN_MS = 1000

/** What programs need to work: where they and the person's files are, the way to the network, settings of package managers. */
const VARIABLES = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TERM', 'TMPDIR', 'TZ', 'SSH_AUTH_SOCK'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
  ...['SystemRoot', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'TEMP', 'PATHEXT', 'ComSpec'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE'],
  ...['npm_config_registry', 'npm_config_cache', 'NPM_CONFIG_REGISTRY', 'NPM_CONFIG_CACHE'],
  ...['PIP_INDEX_URL', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_CACHE_DIR'],
]

/** What running a program needs of its caller. */
export interface RunDeps {
  readonly clock: Pick<Clock, 'after'>
  readonly secrets: Pick<Secrets, 'get' | 'mask'>
  /** Ends the program with all that it started. */
  readonly signal: AbortSignal
}

/** A program and its words, or a line for the shell. */
export interface Program {
  readonly command: readonly [program: string, ...words: string[]] | string
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Told what it writes, with secrets masked. */
  readonly onOutput?: (text: string) => void
}

/** How a program ended. */
export interface ProgramEnd {
  /** Undefined when it was ended. */
  readonly code: number | undefined
  readonly out: string
  /** The end of what it wrote to both outputs, and of a program that was ended the reason; secrets masked. */
  readonly said: string
}

/** Throws `MCP_CATALOG_PROGRAM` if it cannot be started, and the reason of the signal. */
export async function runProgram(program: Program, { clock, secrets, signal }: RunDeps): Promise<ProgramEnd> {
  signal.throwIfAborted()
  const child = start(program, secrets)
  const output = { out: '', said: '' }
  const hear = (isOut: boolean) => (part: string) => {
    const text = secrets.mask(part)
    if (isOut) output.out = (output.out + part).slice(0, MAX_OUTPUT)
    output.said = (output.said + text).slice(-8000)
    program.onOutput?.(text)
  }
  child.stdout?.setEncoding('utf8').on('data', hear(true))
  child.stderr?.setEncoding('utf8').on('data', hear(false))
  const end = () => killGroup(child)
  const cancels = [
    clock.after(LIMIT_MS, () => {
      output.said += `\nIt took longer than ${LIMIT_MS / 60_000} minutes.`
      end()
    }),
  ]
  signal.addEventListener('abort', end, { once: true })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (cause) => reject(notStarted(program, cause)))
      child.once('exit', (exitCode) => {
        // What it left in its group ends with it.
        end()
        child.once('close', () => resolve(exitCode))
        cancels.push(clock.after(DRAIN_MS, () => resolve(exitCode)))
      })
    })
    signal.throwIfAborted()
    return { code: code ?? undefined, ...output }
  } finally {
    for (const cancel of cancels) cancel()
    signal.removeEventListener('abort', end)
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  }
}

function start({ command, cwd, env }: Program, secrets: RunDeps['secrets']): ChildProcess {
  const own = VARIABLES.flatMap((name) => {
    const value = secrets.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const isLine = typeof command === 'string'
  const [program, ...words] = isLine ? [command] : command
  return spawn(program, words, {
    cwd,
    // It is code of others: svc run by it is as strict as svc run by an agent.
    env: { ...Object.fromEntries(own), ...env, [AGENT_PROCESS_VARIABLE]: 'mcp-catalog' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: isLine,
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
}

function killGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  if (process.platform === 'win32') return void child.kill()
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH' && child.exitCode === null) throw error
  }
}

function notStarted({ command }: Program, cause: unknown): SvcError {
  const name = typeof command === 'string' ? 'the shell' : command[0]
  return new SvcError(
    'MCP_CATALOG_PROGRAM',
    `${name} could not be started: ${errorMessage(cause)}. Install it first.`,
    {
      cause,
    },
  )
}
