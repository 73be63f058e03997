/** Dashboards of this home that run in other processes: what they are, and how they are stopped. */
import { type CliContext, type PluginContext, SvcError } from 'svc/sdk'
import { DASHBOARD_METHODS, type DashboardOptions } from 'svc/sdk/dashboard'
import { Control, type ControlAnswer } from 'svc/sdk/host'
import type { Config } from './config.ts'

type Context = PluginContext<Config>

export interface RunningDashboard {
  readonly kind: 'dashboard' | 'serve'
  readonly url: string
  readonly port: number
  readonly pid: number
}

const ASK_MS = 2000
/** The plugins of the dashboard are loaded first. */
const OPEN_MS = 20_000

export async function askRunning(ctx: Context): Promise<readonly RunningDashboard[]> {
  const answers = await ctx.use(Control).ask(DASHBOARD_METHODS.status, {}, { timeoutMs: ASK_MS })
  return answers.filter(isRunning).map(({ result }) => result as RunningDashboard)
}

/** Has a running gateway serve it. Undefined if no gateway can; throws what keeps it from that, such as a port that is taken. */
export async function openInGateway(
  ctx: Context,
  { host, port }: DashboardOptions,
): Promise<RunningDashboard | undefined> {
  const place = { ...(host !== undefined && { host }), ...(port !== undefined && { port }) }
  const answers = await ctx.use(Control).ask(DASHBOARD_METHODS.open, place, { timeoutMs: OPEN_MS })
  const told = answers.find(({ error }) => error?.code !== 'CONTROL_METHOD_UNKNOWN')
  if (told?.error) throw new SvcError(told.error.code, told.error.message)
  return told?.result as RunningDashboard | undefined
}

export async function reportRunning(ctx: Context, io: CliContext, isJson: boolean): Promise<number> {
  const running = await askRunning(ctx)
  if (isJson) io.out(`${JSON.stringify({ running })}\n`)
  else if (running.length === 0) io.out('No dashboard of this home runs. Start it: svc dashboard\n')
  for (const each of isJson ? [] : running) io.out(`${each.kind}: ${each.url} (process ${each.pid})\n`)
  return running.length > 0 ? 0 : 1
}

/** Throws `DASHBOARD_NOT_RUNNING` and `DASHBOARD_NOT_STOPPED`. */
export async function stopRunning(ctx: Context, io: CliContext, isJson: boolean): Promise<number> {
  const running = await askRunning(ctx)
  if (running.length === 0)
    throw new SvcError('DASHBOARD_NOT_RUNNING', 'No dashboard of this home runs. Start it: svc dashboard')
  const answers = await ctx.use(Control).ask(DASHBOARD_METHODS.stop, {}, { timeoutMs: ASK_MS })
  const pids = answers.filter(isRunning).map(({ pid }) => pid)
  const refused = answers.find(({ pid, error }) => error && running.some((each) => each.pid === pid))
  if (refused?.error)
    throw new SvcError('DASHBOARD_NOT_STOPPED', `Process ${refused.pid} did not stop: ${refused.error.message}`)
  io.out(isJson ? `${JSON.stringify({ stopped: pids })}\n` : `Stopped the dashboard (process ${pids.join(', ')}).\n`)
  return 0
}

function isRunning({ error, result }: ControlAnswer): boolean {
  return error === undefined && typeof result === 'object' && result !== null && 'pid' in result
}
