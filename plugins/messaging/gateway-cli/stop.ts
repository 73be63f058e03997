/** Ends the gateway that runs: asked through its socket, by a signal when it does not answer, by force in the end. */
import { type CliContext, Clock, Config, type PluginContext, SvcError } from 'svc/sdk'
import { isRunning, markProcess } from 'svc/sdk/kit/process'
import { writeOrder } from './order-file.ts'
import { type Accepted, askStatus, getGatewayFiles, isInside, runningHolder, tell } from './running-gateway.ts'
import type { Holder } from './single-instance.ts'

const POLL_MS = 100
/** It says at once that it will end, unless it hangs. */
const ASK_MS = 5000
/** The time limit of disconnecting, in addition to the wait for answers. */
const CLOSE_MS = 30_000

/** Where it is told how it goes. */
export type Output = Pick<CliContext, 'out' | 'err' | 'color'>

/** `svc gateway stop`. */
export async function stop(
  ctx: PluginContext<undefined>,
  _input: unknown,
  io: Pick<Output, 'out' | 'err'>,
): Promise<number> {
  const holder = runningHolder(ctx)
  const accepted = await ask(ctx, 'stop')
  if (!accepted && !holder) {
    io.out('The gateway does not run.\n')
    return 0
  }
  if (accepted && isInside(accepted.pid)) {
    const seconds = Math.round(accepted.drainMs / 1000)
    io.out(`The gateway stops once the answers under way are done, within ${seconds} s. Start it: svc gateway start\n`)
    return 0
  }
  if (!accepted && holder) order(ctx, holder, 'stop')
  const seconds = Number(ctx.use(Config).get('gateway.drain_seconds') ?? 30)
  const limitMs = (accepted?.drainMs ?? seconds * 1000) + CLOSE_MS
  const marks = [!holder?.isShared && holder, holder?.child, accepted && markProcess(accepted.pid)]
  const isGone = () => !marks.some((mark) => mark && isRunning(mark)) && !(holder?.isShared && runningHolder(ctx))
  if (await gone(ctx, io, isGone, limitMs)) {
    io.out('The gateway has stopped.\n')
    return 0
  }
  if (holder) force(ctx, holder)
  io.err('The gateway did not stop in time, so it was killed. Unfinished work is resumed at the next start.\n')
  return 0
}

/** Makes room for another gateway. Throws `GATEWAY_RUNNING` when that cannot be. */
export async function replace(ctx: PluginContext<undefined>, holder: Holder, limitMs: number): Promise<void> {
  const clock = ctx.use(Clock)
  const accepted = await ask(ctx, 'stop', { drainMs: limitMs / 2, reason: 'another gateway takes its place' })
  if (!accepted) order(ctx, holder, 'stop')
  const began = clock.monotonic()
  const isHeld = () => (holder.isShared ? runningHolder(ctx) !== undefined : isRunning(holder))
  const runs = () => isHeld() || (holder.child !== undefined && isRunning(holder.child))
  while (runs() && clock.monotonic() - began < limitMs) await clock.sleep(POLL_MS)
  if (!runs()) return
  force(ctx, holder)
  while (runs() && clock.monotonic() - began < limitMs * 2) await clock.sleep(POLL_MS)
  if (runs())
    throw new SvcError('GATEWAY_RUNNING', `Process ${holder.pid} is the gateway and cannot be ended. End it yourself.`)
}

/** Undefined if no process answers. */
export async function ask(
  ctx: PluginContext<undefined>,
  method: 'stop' | 'restart',
  params: Readonly<Record<string, unknown>> = {},
): Promise<Accepted | undefined> {
  try {
    return (await tell(ctx, method, params, ASK_MS)) as Accepted
  } catch {
    // None runs, or it hangs: the caller has other ways.
    return undefined
  }
}

/** Waits, and says what for. False when it took too long. */
async function gone(
  ctx: PluginContext<undefined>,
  io: Pick<Output, 'err'>,
  isGone: () => boolean,
  limitMs: number,
): Promise<boolean> {
  const clock = ctx.use(Clock)
  const began = clock.monotonic()
  let said = ''
  while (!isGone()) {
    if (clock.monotonic() - began > limitMs) return false
    await clock.sleep(POLL_MS)
    const busy = (await askStatus(ctx))?.busy ?? 0
    const now = busy === 0 ? '' : `Waiting for ${busy === 1 ? 'one answer' : `${busy} answers`} under way.\n`
    if (now !== said) io.err(now)
    said = now
  }
  return true
}

/** Asks a supervisor without the help of the gateway. */
export function order(ctx: PluginContext<undefined>, { pid, isShared }: Holder, kind: 'stop' | 'restart'): void {
  if (isShared) writeOrder(getGatewayFiles(ctx).order, kind)
  else signal(pid, kind === 'stop' ? 'SIGTERM' : 'SIGUSR1')
}

/** The supervisor is stopped first: it would restart the gateway. One that other profiles have, too, is told instead. */
function force(ctx: PluginContext<undefined>, { pid, child, isShared }: Holder): void {
  if (isShared) writeOrder(getGatewayFiles(ctx).order, 'stop')
  else signal(pid, 'SIGKILL')
  if (child) signal(child.pid, 'SIGKILL')
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has just ended.
  }
}
