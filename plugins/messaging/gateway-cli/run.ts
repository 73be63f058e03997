/** `svc gateway run`: one gateway for each home, watched over unless that is not wanted. */
import { type CliArguments, type CliContext, Clock, Config, type PluginContext, Secrets, SvcError } from 'svc/sdk'
import { Ending, endWith, exitCodes, onEndSignals } from './ending.ts'
import { LogFile } from './log-file.ts'
import { getGatewayFiles, runningHolder } from './running-gateway.ts'
import { type ServeOptions, serve } from './serve.ts'
import type { Instance } from './single-instance.ts'
import type { Child } from './supervised-process.ts'
import { takeHome, watchOver } from './watch.ts'

/** Returns the exit code. */
export async function run(ctx: PluginContext<undefined>, { options }: CliArguments, io: CliContext): Promise<number> {
  const form = options['json'] === true ? 'json' : 'text'
  const supervisor = ownSupervisor(ctx)
  if (supervisor !== undefined) return serve(ctx, io, { form, supervisor })
  // The pipe was closed before a line arrived: the parent process has ended.
  if (process.connected === false) return exitCodes.failed
  if (options['profiles'] !== undefined) {
    const { runProfiles } = await import('./run-profiles.ts')
    return await runProfiles(ctx, { args: [], options }, io)
  }
  const log = options['background'] === true ? backgroundLog(ctx) : undefined
  const heard = log ? { ...io, out: log, err: log, color: false } : io
  try {
    const instance = await takeHome(ctx, options['replace'] === true)
    try {
      if (isWatched(ctx, options)) return await watch(ctx, heard, { form, instance, log })
      return await serve(ctx, heard, { form, supervisor: undefined })
    } finally {
      instance.release()
    }
  } catch (error) {
    if (log && error instanceof SvcError) log(`svc: ${error.message} (${error.code})\n`)
    throw error
  }
}

/** The process that started this one to watch over it: it holds the home, and the line to it is open. */
function ownSupervisor(ctx: PluginContext<undefined>): number | undefined {
  if (!process.connected) return undefined
  const holder = runningHolder(ctx)
  return holder?.pid === process.ppid ? holder.pid : undefined
}

function isWatched(ctx: PluginContext<undefined>, options: CliArguments['options']): boolean {
  if (options['background'] === true) return true
  const value = ctx.use(Secrets).get('SVC_GATEWAY_NO_SUPERVISE')?.trim().toLowerCase() ?? ''
  return options['supervise'] !== false && !['1', 'true', 'yes'].includes(value)
}

function backgroundLog(ctx: PluginContext<undefined>): (text: string) => void {
  const log = new LogFile(getGatewayFiles(ctx).log, () => ctx.use(Clock).now())
  return (text) => log.write(text)
}

interface WatchedRun extends Pick<ServeOptions, 'form'> {
  readonly instance: Instance
  readonly log: ((text: string) => void) | undefined
}

async function watch(ctx: PluginContext<undefined>, io: CliContext, run: WatchedRun): Promise<number> {
  const ending = new Ending()
  let child: Child | undefined
  const off = onEndSignals(io, ending, () => {
    child?.kill()
    process.exit(exitCodes.interrupted)
  })
  try {
    const { form, instance, log: write } = run
    const stopSeconds = Number(ctx.use(Config).get('gateway.drain_seconds') ?? 30)
    const started = (next: Child) => {
      child = next
    }
    return endWith(await watchOver(ctx, io, { form, instance, ending, write, stopSeconds, started }), io)
  } finally {
    off()
  }
}
