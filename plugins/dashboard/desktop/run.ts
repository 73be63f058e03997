/** `svc desktop`: becomes the launcher of this home, or asks the one that runs. */
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  type CliArguments,
  type CliContext,
  Clock,
  Home,
  Net,
  type PluginContext,
  Random,
  Secrets,
  SvcError,
} from 'svc/sdk'
import { DASHBOARD_VARIABLES } from 'svc/sdk/dashboard'
import { Http } from 'svc/sdk/web'
import { type Backend, startBackend } from './backend/backend.ts'
import { resolveHome } from './backend/home.ts'
import { findBackend } from './backend/ladder.ts'
import { readRemote } from './backend/remote.ts'
import { Bootstrap } from './bootstrap/bootstrap.ts'
import type { BootstrapEvent } from './bootstrap/events.ts'
import { readMarker, removeMarker, writeMarker } from './bootstrap/files.ts'
import { askManifest, runStageProgram } from './bootstrap/stage-program.ts'
import { DesktopChannels } from './channels.ts'
import { runProgram } from './child-program.ts'
import { Launcher } from './launcher.ts'
import { parseLink } from './links.ts'
import { findOwnProgram, readPin } from './own-program.ts'
import { ask, findFirst, lockFile, type Order, type Reach, tryToBeFirst } from './single-instance.ts'
import { LogFile, readState, writeState } from './user-data.ts'
import { chromiumShell } from './window/chromium.ts'
import { defaultBrowserShell } from './window/default-browser.ts'
import { findBrowser } from './window/find-browser.ts'
import type { WindowShell } from './window/window.ts'

type Context = PluginContext<undefined>

const POOL_MAX = 3
const POOL_IDLE_MS = 600_000
const PORT_MS = 90_000
const MIN_PORT_MS = 45_000
/** The first launcher writes how it is reached within this time. */
const FIRST_MS = 10_000
const LOOK_MS = 100
const ORDERS = ['status', 'reset', 'repair', 'quit'] as const

interface Settings {
  readonly home: string
  readonly userData: string
  readonly profile: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  get(name: string): string | undefined
}

export async function run(ctx: Context, { args, options }: CliArguments, io: CliContext): Promise<number> {
  const settings = await readSettings(ctx, options, io)
  const order = ORDERS.find((name) => options[name] === true)
  if (order) return give(ctx, settings, { order }, { io, isJson: options['json'] === true })
  const link = args[0] === undefined ? undefined : parseLink(args[0])
  // Before anything is started: half of a setting is a mistake.
  const remote = readRemote(settings.get('SVC_DESKTOP_REMOTE_URL'), settings.get('SVC_DESKTOP_REMOTE_TOKEN'))
  const lock = tryToBeFirst(settings.userData, ctx.use(Random))
  if (!lock) {
    const opened = { order: 'open', profile: settings.profile, ...(link !== undefined && { link }) } as const
    await ask(ctx.use(Net), await waitForFirst(ctx, settings), opened)
    io.out('Opened in the desktop that runs already.\n')
    return 0
  }
  using _lock = lock
  const shell = options['window'] === false ? undefined : chooseShell(ctx, settings, io)
  const launcher = await createLauncher(ctx, settings, { remote, shell })
  try {
    lock.note(await launcher.open())
    const aborted = new Promise((done) => io.signal.addEventListener('abort', done, { once: true }))
    const over = Promise.race([launcher.over, aborted]).then(() => undefined)
    if (shell) await Promise.race([launcher.show(settings.profile, link), over])
    else {
      const connection = await Promise.race([launcher.boot(settings.profile), over])
      if (connection) io.out(`SVC_DESKTOP_READY url=${connection.baseUrl}\n`)
    }
    await over
    return 0
  } finally {
    await launcher.close()
  }
}

async function readSettings(ctx: Context, options: CliArguments['options'], io: CliContext): Promise<Settings> {
  const secrets = ctx.use(Secrets)
  const get = (name: string) => secrets.get(name)
  const { profile = 'default' } = ctx.use(Home)
  const home = await resolveHome({
    environment: process.env,
    platform: process.platform,
    userFolder: homedir(),
    exists: existsSync,
    readUserVariable: (name) => readUserVariable(ctx, name),
  })
  const cwd =
    typeof options['cwd'] === 'string' ? resolve(io.cwd, options['cwd']) : (get('SVC_DESKTOP_CWD') ?? homedir())
  const isIgnored = options['ignoreExisting'] === true ? { SVC_DESKTOP_IGNORE_EXISTING: '1' } : {}
  return {
    home,
    userData: get('SVC_DESKTOP_USER_DATA_DIR') ?? join(home, 'desktop'),
    profile,
    // Of the processes that are started: they find the same home, and no credential of the launcher.
    environment: {
      ...process.env,
      SVC_HOME: home,
      SVC_DESKTOP_REMOTE_TOKEN: undefined,
      SVC_DESKTOP_REMOTE_URL: undefined,
      [DASHBOARD_VARIABLES.token]: undefined,
    },
    cwd,
    get: (name) => (isIgnored as Record<string, string>)[name] ?? get(name),
  }
}

async function readUserVariable(ctx: Context, name: string): Promise<string | undefined> {
  const words = ['reg', 'query', 'HKCU\\Environment', '/v', name]
  const end = await runProgram(words, { environment: process.env, clock: ctx.use(Clock), timeoutMs: 5000 })
  return end.lines.flatMap((line) => /REG_(?:EXPAND_)?SZ\s+(.+)$/.exec(line)?.[1]?.trim() ?? [])[0]
}

function chooseShell(ctx: Context, { get, environment }: Settings, io: CliContext): WindowShell {
  const file = findBrowser((name) => get(name) ?? environment[name])
  const debugPort = readNumber(get('SVC_DESKTOP_DEBUG_PORT'))
  if (file !== undefined) return chromiumShell({ file, clock: ctx.use(Clock), log: ctx.log, environment, debugPort })
  io.err('No Chromium, Chrome or Edge is installed, so the page opens in your browser. Ctrl-C ends svc.\n')
  return defaultBrowserShell((error) => io.err(`No browser could be opened: ${error.message}\n`))
}

async function createLauncher(
  ctx: Context,
  settings: Settings,
  { remote, shell }: { remote: ReturnType<typeof readRemote>; shell: WindowShell | undefined },
): Promise<Launcher> {
  const { home, userData, get } = settings
  const clock = ctx.use(Clock)
  const mask = (text: string) => ctx.use(Secrets).mask(text)
  let launcher: Launcher | undefined
  const bootstrap = createBootstrap(ctx, settings, (event) => launcher?.emit('svc:bootstrap:event', event))
  const tokens = new Map<string, string>()
  const log = new LogFile(join(home, 'logs', 'desktop.log'))
  const state = await readState(userData)
  launcher = new Launcher({
    clock,
    log: ctx.log,
    bootstrap,
    remote,
    shell,
    mask,
    state,
    version: findOwnProgram().version,
    saveState: (next) => writeState(userData, next),
    windowFolder: (profile) => join(userData, 'windows', profile),
    openChannels: (answers, order) =>
      new DesktopChannels({ http: ctx.use(Http), random: ctx.use(Random), log: ctx.log, answers, order }),
    startBackend: async (profile, port, onProgress): Promise<Backend> => {
      onProgress('resolve')
      const program = await findBackend({ ...ladderDeps(ctx, settings) })
      const token = tokens.get(profile) ?? createToken(ctx)
      tokens.set(profile, token)
      ctx.use(Secrets).protect(token)
      return startBackend(
        { ...settings, command: program.command, profile, token, port: port !== 0 && (await isFree(port)) ? port : 0 },
        { clock, net: ctx.use(Net), onProgress, onLine: (line) => log.add(mask(line)) },
        { portMs: Math.max(MIN_PORT_MS, readNumber(get('SVC_DESKTOP_PORT_ANNOUNCE_TIMEOUT_MS')) ?? PORT_MS) },
      )
    },
    limits: {
      max: Math.max(1, readNumber(get('SVC_DESKTOP_POOL_MAX')) ?? POOL_MAX),
      idleMs: Math.max(1000, readNumber(get('SVC_DESKTOP_POOL_IDLE_MS')) ?? POOL_IDLE_MS),
    },
  })
  return launcher
}

function createBootstrap(ctx: Context, settings: Settings, emit: (event: BootstrapEvent) => void): Bootstrap {
  const { home, environment } = settings
  const clock = ctx.use(Clock)
  const options = { environment, clock }
  let log: LogFile | undefined
  const own = findOwnProgram()
  let program: readonly string[] = []
  return new Bootstrap({
    clock,
    readMarker: () => readMarker(home),
    removeMarker: () => removeMarker(home),
    writeMarker: async () => {
      const { commit, branch } = await readPin(own.root, options)
      const completedAt = new Date(clock.now()).toISOString()
      const marker = {
        schemaVersion: 1,
        pinnedCommit: commit,
        pinnedBranch: branch,
        completedAt,
        desktopVersion: own.version,
      } as const
      await writeMarker(home, marker)
      return marker
    },
    unsupportedPlatform: () =>
      ['linux', 'darwin', 'win32', 'freebsd'].includes(process.platform)
        ? undefined
        : {
            platform: process.platform,
            activeRoot: own.root,
            installCommand: 'npm install -g svc',
            docsUrl: `file://${join(own.root, 'README.md')}`,
          },
    manifest: async (signal) => {
      // Found again for each run: what is missing may have been installed since the last one.
      program = (await findBackend(ladderDeps(ctx, settings))).command
      return askManifest(program, options, signal)
    },
    runStage: (stage, signal, onLine) => runStageProgram({ command: program, stage }, options, { signal, onLine }),
    emit: (event) => {
      if (event.type === 'manifest' && event.stages.length === 0)
        log = new LogFile(
          join(home, 'logs', `bootstrap-${new Date(clock.now()).toISOString().replaceAll(':', '-')}.log`),
        )
      log?.add(ctx.use(Secrets).mask(JSON.stringify(event)))
      emit(event)
    },
  })
}

function ladderDeps(ctx: Context, { home, environment, get }: Settings) {
  return { home, environment, get, clock: ctx.use(Clock), log: ctx.log, own: findOwnProgram() }
}

function createToken(ctx: Context): string {
  return Buffer.from(ctx.use(Random).hex(32), 'hex').toString('base64url')
}

/** Asks the launcher that runs, and prints what it says. */
async function give(
  ctx: Context,
  { userData }: Settings,
  order: Order,
  { io, isJson }: { readonly io: CliContext; readonly isJson: boolean },
): Promise<number> {
  const first = findFirst(userData)
  if (!first) {
    if (isJson) io.out(`${JSON.stringify({ running: false })}\n`)
    else io.out('No desktop runs. Start it: svc desktop\n')
    return order.order === 'status' ? 0 : 1
  }
  const answer = (await ask(ctx.use(Net), first, order)) as Record<string, unknown>
  if (isJson) io.out(`${JSON.stringify({ running: true, ...answer })}\n`)
  else if (order.order === 'status')
    io.out(`The desktop runs (process ${answer['pid']}). More: svc desktop --status --json\n`)
  else io.out('Done.\n')
  return 0
}

async function waitForFirst(ctx: Context, { userData }: Settings): Promise<Reach> {
  const clock = ctx.use(Clock)
  const late = clock.monotonic() + FIRST_MS
  for (;;) {
    const first = findFirst(userData)
    if (first) return first
    if (clock.monotonic() > late) {
      const text = `Another desktop is starting and does not answer. If none runs, remove ${lockFile(userData)}.`
      throw new SvcError('DESKTOP_LAUNCHER', text)
    }
    await clock.sleep(LOOK_MS)
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((done) => {
    server.once('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}

function readNumber(text: string | undefined): number | undefined {
  const value = Number(text)
  return text !== undefined && Number.isInteger(value) && value > 0 ? value : undefined
}
