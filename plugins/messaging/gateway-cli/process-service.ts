/** What `svc gateway start`, `stop`, `restart` and `status` do, for other plugins. */
import { type CliArguments, type PluginContext, SvcError } from 'svc/sdk'
import type { GatewayProcess, GatewayProcessOptions, GatewayProcessStatus } from 'svc/sdk/operations'
import { askStatus, type Drained, runningHolder, tell } from './running-gateway.ts'
import type { Output } from './stop.ts'

type Context = PluginContext<undefined>
type Change = (
  ctx: Context,
  input: CliArguments,
  io: Output,
  environment: Readonly<Record<string, string | undefined>>,
) => Promise<number>

/** It says so at once, unless it hangs. */
const DRAIN_MS = 5000
const INPUT: CliArguments = { args: [], options: {} }

/** Contract: `GatewayProcess` of the SDK. */
export function createGatewayProcess(ctx: Context): GatewayProcess {
  return {
    status: () => readStatus(ctx),
    start: async (options) => change(ctx, (await import('./start.ts')).start, options),
    stop: async (options) => change(ctx, (await import('./stop.ts')).stop, options),
    restart: async (options) => change(ctx, (await import('./start.ts')).restart, options),
    drain: async ({ isQuiet = false } = {}) => (await tell(ctx, 'drain', { isQuiet }, DRAIN_MS)) as Drained,
    cancelDrain: async () => (await tell(ctx, 'drain.cancel', {}, DRAIN_MS)) as { wasDraining: boolean },
  }
}

async function readStatus(ctx: Context): Promise<GatewayProcessStatus> {
  const report = await askStatus(ctx)
  if (report) {
    const { state, pid, supervisor, startedAt, busy, ending, isReady, platforms, drainedAt } = report
    return {
      ...{ isRunning: true, state, isReady, pid, startedAt, busy, platforms },
      ...(supervisor !== undefined && { supervisor }),
      ...(ending !== undefined && { ending }),
      ...(drainedAt !== undefined && { drainedAt }),
    }
  }
  const { createStoppedStatus } = await import('./status.ts')
  const last = createStoppedStatus(ctx)
  const holder = runningHolder(ctx)
  return {
    ...{ isRunning: false, isReady: false, busy: 0, platforms: last?.platforms ?? [] },
    state: holder ? 'starting' : last?.state === 'startup_failed' ? 'startup_failed' : 'stopped',
    ...(holder && { pid: holder.pid }),
    ...(last && { startedAt: last.startedAt, endedAt: last.endedAt, exitReason: last.exitReason }),
  }
}

/** Throws `GATEWAY_ACTION` with the last of what was said. */
async function change(ctx: Context, work: Change, options: GatewayProcessOptions = {}): Promise<void> {
  const { report = () => {}, environment = {} } = options
  let reason = 'It gave no reason.'
  const say = (text: string) => {
    for (const line of text.split('\n')) if (line.trim() !== '') report(line.trimEnd())
  }
  const io: Output = {
    color: false,
    out: say,
    err: (text) => {
      reason = text.trim().split('\n').at(-1) ?? reason
      say(text)
    },
  }
  const code = await work(ctx, INPUT, io, { ...process.env, ...environment })
  if (code !== 0) throw new SvcError('GATEWAY_ACTION', reason, { status: 409 })
}
