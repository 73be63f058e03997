/** The process that watches over a gateway: takes the home, starts it, and writes down what becomes of it. */
import { type CliContext, Clock, errorMessage, Home, logFault, type PluginContext, Random, SvcError } from 'svc/sdk'
import { isRunning, markProcess, type ProcessMark } from 'svc/sdk/kit/process'
import { type Announcer, announcer } from './announcements.ts'
import type { Ending } from './ending.ts'
import { getGatewayFiles } from './running-gateway.ts'
import { type Instance, type Taking, takeInstance } from './single-instance.ts'
import { readState, writeState } from './state-file.ts'
import { type Child, programWords, startChild } from './supervised-process.ts'

/** How long a replaced gateway, or one without a supervisor, may take to stop. */
const REPLACE_MS = 10_000
const ORPHAN_MS = 3000
const POLL_MS = 50
/** The time limit of a stop, in addition to the wait for answers. */
const CLOSE_MS = 25_000

/** `together` names the profiles whose gateways this process watches over, if they are several. Throws `GATEWAY_RUNNING`. */
export async function takeHome(
  ctx: PluginContext<undefined>,
  isReplacing: boolean,
  together: readonly string[] = [],
): Promise<Instance> {
  const { lock } = getGatewayFiles(ctx)
  let taking = takeInstance(lock, ctx.use(Random), together)
  if (!taking.instance && isReplacing) {
    const { replace } = await import('./stop.ts')
    await replace(ctx, taking.holder, REPLACE_MS)
    taking = takeInstance(lock, ctx.use(Random), together)
  }
  if (!taking.instance) throw running(ctx, taking)
  if (taking.orphan) await bury(ctx, taking.orphan)
  return taking.instance
}

function running(ctx: PluginContext<undefined>, taking: Taking): SvcError {
  const pid = taking.instance ? process.pid : taking.holder.pid
  const { profile } = ctx.use(Home)
  const words = profile === undefined ? 'svc' : `svc -p ${profile}`
  const advice = `Stop it with \`${words} gateway stop\`, or take its place: ${words} gateway run --replace`
  const whose = profile === undefined ? 'this home' : `the profile ${profile}`
  return new SvcError('GATEWAY_RUNNING', `A gateway of ${whose} runs already (process ${pid}). ${advice}`)
}

/** It ends on its own without a supervisor; one that hangs is killed. */
async function bury(ctx: PluginContext<undefined>, orphan: ProcessMark): Promise<void> {
  const clock = ctx.use(Clock)
  for (let waited = 0; isRunning(orphan); waited += POLL_MS) {
    if (waited === ORPHAN_MS) process.kill(orphan.pid, 'SIGKILL')
    await clock.sleep(POLL_MS)
  }
}

/** How a gateway is watched over. */
export interface WatchOptions {
  readonly form: 'text' | 'json'
  readonly instance: Instance
  readonly ending: Ending
  /** Where its output goes; undefined: where that of this process goes. */
  readonly write: ((text: string) => void) | undefined
  /** How long it may wait for answers. */
  readonly stopSeconds: number
  /** Its working folder; left out: that of this process. */
  readonly cwd?: string
  started(child: Child): void
}

/** Until it has ended for good. Returns the exit code. */
export async function watchOver(
  ctx: PluginContext<undefined>,
  io: Pick<CliContext, 'out' | 'err' | 'color'>,
  options: WatchOptions,
): Promise<number> {
  const { form, instance, ending, write, stopSeconds, cwd, started } = options
  const clock = ctx.use(Clock)
  const say = announcer(io, form, () => clock.now())
  const words = [...programWords(ctx.use(Home)), 'gateway', 'run', '--no-supervise']
  if (form === 'json') words.push('--json')
  const { supervise } = await import('./supervisor.ts')
  return await supervise({
    clock,
    ending,
    stopMs: stopSeconds * 1000 + CLOSE_MS,
    start: () => startChild(words, write, cwd),
    started: (child) => {
      started(child)
      noteChild(ctx, instance, child.pid)
    },
    crashed: (reason) => noteCrash(ctx, say, reason),
    say: (notice) => say.notice(notice),
  })
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
