/** `svc gateway run`: one gateway for each home, watched over unless that is not wanted. */
import {
  type CliArguments,
  type CliContext,
  Clock,
  Config,
  errorMessage,
  Home,
  logFault,
  type PluginContext,
  Random,
  Secrets,
  SvcError,
} from 'svc/sdk'
import { isRunning, markProcess, type ProcessMark } from 'svc/sdk/kit/process'
import { type Announcer, announcer } from './announcements.ts'
import { Ending, endWith, exitCodes, onEndSignals } from './ending.ts'
import { LogFile } from './log-file.ts'
import { getGatewayFiles, runningHolder } from './running-gateway.ts'
import { type ServeOptions, serve } from './serve.ts'
import { type Instance, type Taking, takeInstance } from './single-instance.ts'
import { readState, writeState } from './state-file.ts'
import { type Child, programWords, startChild } from './supervised-process.ts'

/** How long a replaced gateway, or one without a supervisor, may take to stop. */
const REPLACE_MS = 10_000
const ORPHAN_MS = 3000
const POLL_MS = 50
/** The time limit of a stop, in addition to the wait for answers. */
const CLOSE_MS = 25_000

/** Returns the exit code. */
export async function run(ctx: PluginContext<undefined>, { options }: CliArguments, io: CliContext): Promise<number> {
  const form = options['json'] === true ? 'json' : 'text'
  const supervisor = ownSupervisor(ctx)
  if (supervisor !== undefined) return serve(ctx, io, { form, supervisor })
  // The pipe was closed before a line arrived: the parent process has ended.
  if (process.connected === false) return exitCodes.failed
  const log = options['background'] === true ? backgroundLog(ctx) : undefined
  const heard = log ? { ...io, out: log, err: log, color: false } : io
  try {
    const instance = await take(ctx, options['replace'] === true)
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

/** Throws `GATEWAY_RUNNING`. */
async function take(ctx: PluginContext<undefined>, isReplacing: boolean): Promise<Instance> {
  const { lock } = getGatewayFiles(ctx)
  let taking = takeInstance(lock, ctx.use(Random))
  if (!taking.instance && isReplacing) {
    const { replace } = await import('./stop.ts')
    await replace(ctx, taking.holder, REPLACE_MS)
    taking = takeInstance(lock, ctx.use(Random))
  }
  if (!taking.instance) throw running(taking)
  if (taking.orphan) await bury(ctx, taking.orphan)
  return taking.instance
}

function running(taking: Taking): SvcError {
  const pid = taking.instance ? process.pid : taking.holder.pid
  const advice = 'Stop it with `svc gateway stop`, or take its place: svc gateway run --replace'
  return new SvcError('GATEWAY_RUNNING', `A gateway of this home runs already (process ${pid}). ${advice}`)
}

/** It ends on its own without a supervisor; one that hangs is killed. */
async function bury(ctx: PluginContext<undefined>, orphan: ProcessMark): Promise<void> {
  const clock = ctx.use(Clock)
  for (let waited = 0; isRunning(orphan); waited += POLL_MS) {
    if (waited === ORPHAN_MS) process.kill(orphan.pid, 'SIGKILL')
    await clock.sleep(POLL_MS)
  }
}

interface WatchOptions extends Pick<ServeOptions, 'form'> {
  readonly instance: Instance
  readonly log: ((text: string) => void) | undefined
}

async function watch(ctx: PluginContext<undefined>, io: CliContext, options: WatchOptions): Promise<number> {
  const { form, instance, log } = options
  const clock = ctx.use(Clock)
  const say = announcer(io, form, () => clock.now())
  const ending = new Ending()
  const seconds = Number(ctx.use(Config).get('gateway.drain_seconds') ?? 30)
  const words = [...programWords(ctx.use(Home)), 'gateway', 'run', '--no-supervise']
  if (form === 'json') words.push('--json')
  let child: Child | undefined
  const off = onEndSignals(io, ending, () => {
    child?.kill()
    process.exit(exitCodes.interrupted)
  })
  try {
    const { supervise } = await import('./supervisor.ts')
    const code = await supervise({
      clock,
      ending,
      stopMs: seconds * 1000 + CLOSE_MS,
      start: () => startChild(words, log),
      started: (started) => {
        child = started
        noteChild(ctx, instance, started.pid)
      },
      crashed: (reason) => noteCrash(ctx, say, reason),
      say: (notice) => say.notice(notice),
    })
    return endWith(code, io)
  } finally {
    off()
  }
}

/** A full disk is not a reason to drop it. */
function noteChild(ctx: PluginContext<undefined>, instance: Instance, pid: number): void {
  try {
    instance.note(markProcess(pid) ?? { pid, identity: '' })
  } catch (error) {
    ctx.log.warn('it cannot be written down which process is the gateway', { pid, error })
  }
}

/** The process that crashed could not say why. */
function noteCrash(ctx: PluginContext<undefined>, say: Announcer, reason: string): void {
  const { state: file } = getGatewayFiles(ctx)
  ctx.log.warn('the gateway crashed', { reason })
  try {
    const state = readState(file)
    const updated_at = new Date(ctx.use(Clock).now()).toISOString()
    if (state)
      writeState(file, { ...state, gateway_state: 'stopped', exit_reason: `It crashed: ${reason}.`, updated_at })
  } catch (error) {
    logFault(ctx.log, 'the crash of the gateway could not be written down', error)
    say.notice({ type: 'warning', message: `svc: ${errorMessage(error)}` })
  }
}
