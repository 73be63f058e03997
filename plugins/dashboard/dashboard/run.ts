/** The process that is the dashboard: starts it, tells that it is ready, and ends in order. */
import { spawn } from 'node:child_process'
import { type CliArguments, type CliContext, logFault, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { DASHBOARD_METHODS, Dashboard, type DashboardOptions, type ServedDashboard } from 'svc/sdk/dashboard'
import { Control, Plugins } from 'svc/sdk/host'
import { writeAtomically } from 'svc/sdk/kit/files'
import { BuiltInSkills } from 'svc/sdk/skills'
import type { Config } from './config.ts'
import { askRunning, openInGateway, reportRunning, stopRunning } from './running.ts'

type Context = PluginContext<Config>
/** What runs: with pages, or for programs. */
export type ServeKind = 'dashboard' | 'serve'

/** Programs that start it wait for this line. */
const READY: Readonly<Record<ServeKind, string>> = {
  dashboard: 'SVC_DASHBOARD_READY',
  serve: 'SVC_BACKEND_READY',
}

export async function run(ctx: Context, { options }: CliArguments, io: CliContext, kind: ServeKind): Promise<number> {
  if (options['status'] === true) return reportRunning(ctx, io, options['json'] === true)
  if (options['stop'] === true) return stopRunning(ctx, io, options['json'] === true)
  const isForWindow = ctx.use(Secrets).get('SVC_DESKTOP') === '1'
  const wanted = { ...readOptions(options), ...(isForWindow && { isForWindow }) }
  if (kind === 'dashboard' && options['isolated'] !== true) {
    const [other] = (await askRunning(ctx)).filter((each) => each.kind === 'dashboard')
    if (other) {
      io.out(`The dashboard runs already at ${other.url} (process ${other.pid}). Stop it: svc dashboard --stop\n`)
      openPage(ctx, io, options, other.url)
      return 0
    }
    // A token that was given to this process opens this process.
    const isOwn = ctx.use(Secrets).get('SVC_DASHBOARD_SESSION_TOKEN') !== undefined
    const shared = isOwn ? undefined : await openInGateway(ctx, wanted)
    if (shared) {
      io.out(`${READY.dashboard} port=${shared.port}\n`)
      io.out(
        `The gateway (process ${shared.pid}) serves the dashboard at ${shared.url}. Stop it: svc dashboard --stop\n`,
      )
      openPage(ctx, io, options, shared.url)
      return 0
    }
  }
  return serve(ctx, io, {
    kind,
    options,
    wanted: { ...wanted, isHeadless: kind === 'serve' && !isForWindow },
  })
}

interface ServeDeps {
  readonly kind: ServeKind
  readonly options: CliArguments['options']
  readonly wanted: DashboardOptions
}

async function serve(ctx: Context, io: CliContext, { kind, options, wanted }: ServeDeps): Promise<number> {
  await ctx.use(Plugins).bring(BuiltInSkills)
  await using served = await ctx.use(Dashboard).serve(wanted)
  let ask = () => {}
  const asked = new Promise<void>((resolve) => {
    ask = resolve
  })
  const off = await answer(ctx, kind, served, ask)
  io.signal.addEventListener('abort', () => ask(), { once: true })
  if (io.signal.aborted) ask()
  try {
    io.out(`${READY[kind]} port=${served.port}\n`)
    if (kind === 'dashboard') io.out(`The dashboard listens at ${served.url}. Press Ctrl-C to stop it.\n`)
    const file = ctx.use(Secrets).get('SVC_DESKTOP_READY_FILE')
    if (file !== undefined) await writeAtomically(file, JSON.stringify({ port: served.port }))
    if (kind === 'dashboard') openPage(ctx, io, options, served.url)
    await asked
    return 0
  } finally {
    await off()
  }
}

/** What other commands of this home may ask. */
async function answer(ctx: Context, kind: ServeKind, served: ServedDashboard, stop: () => void) {
  try {
    return await ctx.use(Control).serve(kind, {
      [DASHBOARD_METHODS.status]: {
        read: true,
        run: () => ({ kind, url: served.url, port: served.port, pid: process.pid }),
      },
      [DASHBOARD_METHODS.stop]: () => {
        stop()
        return { pid: process.pid }
      },
    })
  } catch (error) {
    logFault(ctx.log, 'other commands cannot reach the dashboard', error)
    return () => {}
  }
}

function readOptions({ host, port }: CliArguments['options']): DashboardOptions {
  const number = Number(port)
  const isPort = typeof port === 'string' && /^\d{1,5}$/.test(port) && number <= 65_535
  if (port !== undefined && !isPort)
    throw new SvcError('DASHBOARD_PORT', `"${String(port)}" is no port. Give a number from 0 to 65535.`)
  return { ...(typeof host === 'string' && { host }), ...(port !== undefined && { port: number }) }
}

/** A machine without a browser is no failure: the address was printed. */
function openPage(ctx: Context, io: CliContext, options: CliArguments['options'], url: string): void {
  if (!io.interactive || options['open'] === false) return
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  const child = spawn(program ?? '', [...before, url], { detached: true, stdio: 'ignore' })
  child.once('error', (error) => ctx.log.info('no browser could be opened', { error: error.message }))
  child.unref()
}
