/** Runs npm: no install scripts, nothing for development, no talk. */
import { spawn } from 'node:child_process'
import { type CliContext, Clock, type PluginContext, Secrets, SvcError } from 'svc/sdk'

const LIMIT_MS = 300_000
const KEPT_OUTPUT = 8192
const quiet = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
/** `svc` and what it brings are found by the program itself; a package of that name must not come from elsewhere. */
const peers = ['--legacy-peer-deps']
const secretName = /(^|_)(API_KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|SECRET|PASSWORD|TOKEN)$/i
/** By which npm is let into private registries. */
const npmName = /^(NPM_|NODE_AUTH_TOKEN$)/i

/** What npm needs of its caller. */
export interface NpmRun {
  readonly clock: Clock
  readonly secrets: Secrets
  /** Ends npm. */
  readonly signal: AbortSignal
}

/** How npm is run for this command. */
export function npmRun(ctx: PluginContext<undefined>, { signal }: CliContext): NpmRun {
  return { clock: ctx.use(Clock), secrets: ctx.use(Secrets), signal }
}

/** Runs `npm <words>` in a folder. Throws `PLUGIN_NPM_MISSING`, `PLUGIN_NPM_FAILED` or the signal's reason. */
export async function npm(words: readonly string[], cwd: string, { clock, secrets, signal }: NpmRun): Promise<void> {
  signal.throwIfAborted()
  const windows = process.platform === 'win32'
  const child = spawn('npm', [...words, ...quiet, ...peers], {
    cwd,
    env: environment(secrets),
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: windows,
    windowsHide: true,
  })
  let said = ''
  const keep = (part: Buffer) => {
    said = (said + part).slice(-KEPT_OUTPUT)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  let late = false
  const end = () => void child.kill()
  const cancel = clock.after(LIMIT_MS, () => {
    late = true
    end()
  })
  signal.addEventListener('abort', end, { once: true })
  try {
    const code = await ending(child)
    signal.throwIfAborted()
    if (code === 0) return
    const reason = late ? `it took longer than ${LIMIT_MS / 1000} s` : lastWords(secrets.mask(said))
    throw new SvcError('PLUGIN_NPM_FAILED', `npm ${words[0]} failed: ${reason}`)
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}

function ending(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const message = 'npm could not be started. Install it, or name the folder of the plugin instead.'
      reject(new SvcError('PLUGIN_NPM_MISSING', message, { cause }))
    })
    child.once('close', resolve)
  })
}

/** What npm said went wrong, without its decoration. */
function lastWords(said: string): string {
  const lines = said.split('\n').flatMap((line) => /^npm (?:error|ERR!) (?:\d{3} )?(.*)$/.exec(line)?.[1]?.trim() ?? [])
  const telling = lines.filter((line) => !/^(code |errno |A complete log|\d*$)/.test(line))
  return (telling.slice(0, 3).join(' ') || said.trim() || 'it said nothing').slice(0, 1000)
}

/** npm gets the environment for its settings and proxies, but no keys of other programs. */
function environment(secrets: Secrets): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name, value]) => {
    return value !== undefined && (npmName.test(name) || !secretName.test(name)) && secrets.source(name) !== '.env'
  })
  return Object.fromEntries(entries) as Record<string, string>
}
