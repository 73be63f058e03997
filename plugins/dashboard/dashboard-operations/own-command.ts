/** Runs a command of this very program as a process of its own: work that may take long holds up no request. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Home, type PluginContext, SvcError } from 'svc/sdk'
import { DASHBOARD_VARIABLES } from 'svc/sdk/dashboard'
import { killGroup } from 'svc/sdk/kit/process'
import { safeLine } from 'svc/sdk/kit/terminal'
import type { ActionReport } from './actions.ts'

type Context = PluginContext<undefined>

export interface OwnCommand {
  /** As typed after `svc`. */
  readonly words: readonly string[]
  /** The one that it is for; left out: that of this process. */
  readonly profile?: string | undefined
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Exit codes other than 0 that tell a result and no failure: `svc doctor` ends with 1 when it found something. */
  readonly results?: readonly number[]
}

const MAX_ERRORS = 2000

/** What a launcher gave this process is not for another one. */
export const ENVIRONMENT: Readonly<Record<string, undefined>> = Object.fromEntries(
  Object.values(DASHBOARD_VARIABLES).map((name) => [name, undefined]),
)

/** The profile to name on a command line. Throws `DASHBOARD_PROFILE` for one that does not exist. */
export function findProfile(ctx: Context, asked: string | undefined): string {
  const { root, profile = 'default' } = ctx.use(Home)
  const name = asked ?? profile
  if (name === 'default' || existsSync(join(root, 'profiles', name))) return name
  const message = `There is no profile ${name}. Those that exist: svc profile list`
  throw new SvcError('DASHBOARD_PROFILE', message, { status: 404 })
}

/**
 * Resolves when it ended with 0 or one of `results`. Rejects with `DASHBOARD_COMMAND`, and the last line that it wrote, otherwise. It
 * ends with the plugin.
 */
export async function runOwnCommand(ctx: Context, command: OwnCommand, report: ActionReport): Promise<void> {
  const { results = [], words } = command
  const child = spawnOwn(ctx, command)
  if (child.pid !== undefined) report.process(child.pid)
  let last = ''
  const listen = (stream: NodeJS.ReadableStream) =>
    createInterface({ input: stream }).on('line', (line) => {
      if (line.trim() === '') return
      last = safeLine(line.trimEnd())
      report.line(last)
    })
  listen(child.stdout)
  listen(child.stderr)
  const end = () => killGroup(child.pid, 'SIGTERM')
  ctx.signal.addEventListener('abort', end, { once: true })
  try {
    const code = await waitForEnd(child)
    if (code !== null) report.exit(code)
    if (code === 0 || (code !== null && results.includes(code))) return
    const how = code === null ? 'was ended' : `ended with ${code}`
    const message = last === '' ? `svc ${words.join(' ')} ${how} and gave no reason.` : last
    throw new SvcError('DASHBOARD_COMMAND', message, { status: 409 })
  } finally {
    ctx.signal.removeEventListener('abort', end)
  }
}

/** Resolves with what a command writes that changes nothing. Rejects with `DASHBOARD_COMMAND`, also for more than `maxBytes`. */
export async function readOwnCommand(
  ctx: Context,
  command: Pick<OwnCommand, 'words' | 'profile' | 'environment'>,
  { signal, maxBytes }: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<string> {
  const stop = AbortSignal.any([signal, ctx.signal])
  stop.throwIfAborted()
  const child = spawnOwn(ctx, command)
  const end = () => killGroup(child.pid, 'SIGKILL')
  stop.addEventListener('abort', end, { once: true })
  let [output, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.length > maxBytes) end()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERRORS)
  })
  try {
    const code = await waitForEnd(child)
    stop.throwIfAborted()
    if (code === 0) return output
    const said = safeLine(errors.trim().split('\n').at(-1) ?? '')
    const message = said === '' ? `svc ${command.words.join(' ')} did not end well and gave no reason.` : said
    throw new SvcError('DASHBOARD_COMMAND', message, { status: 409 })
  } finally {
    stop.removeEventListener('abort', end)
  }
}

function spawnOwn(ctx: Context, { words, profile, environment = {} }: OwnCommand) {
  const args = [...process.execArgv, process.argv[1] ?? '', '--profile', findProfile(ctx, profile), ...words]
  return spawn(process.execPath, args, {
    env: { ...process.env, ...ENVIRONMENT, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
}

/** Resolves with its exit code; null when a signal ended it. */
function waitForEnd(child: ReturnType<typeof spawnOwn>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
}
