/** Watches over the gateway: starts it, and starts it again when it crashed or asked for it, but not for ever. */
import type { Clock } from 'svc/sdk'
import { backoff } from 'svc/sdk/kit/async'
import type { Notice } from './announcements.ts'
import { type Ending, exitCodes } from './ending.ts'
import type { Child, ProcessEnd } from './supervised-process.ts'

export interface SupervisorDeps {
  readonly clock: Clock
  readonly ending: Ending
  /** What stopping may take at most. */
  readonly stopMs: number
  start(): Child
  /** A child runs. */
  started(child: Child): void
  /** A child ended without being asked to. */
  crashed(reason: string): void
  say(notice: Notice): void
}

/** This many crashes within this time are tolerated. A requested restart is not a crash. */
const MAX_CRASHES = 3
const WINDOW_MS = 600_000
const RESTART = { firstMs: 500, maxMs: 60_000 }

/** Its whole life. Returns the exit code. */
export async function supervise(deps: SupervisorDeps): Promise<number> {
  const { clock, ending } = deps
  let crashes: number[] = []
  for (;;) {
    const end = await once(deps)
    if (isStopped(ending)) return end.code === exitCodes.config ? exitCodes.config : exitCodes.stopped
    if (end.code === exitCodes.stopped || end.code === exitCodes.config) return end.code
    if (end.code === exitCodes.again) {
      deps.say({ type: 'supervisor', message: 'The gateway starts again.', facts: { event: 'restart' } })
      continue
    }
    const now = clock.now()
    crashes = [...crashes.filter((at) => now - at < WINDOW_MS), now]
    const reason = describeEnd(end)
    deps.crashed(reason)
    if (crashes.length > MAX_CRASHES) return givenUp(deps, reason, crashes.length)
    const waitMs = backoff(RESTART, crashes.length)
    deps.say({
      type: 'warning',
      style: 'yellow',
      message: `The gateway crashed (${reason}). It starts again in ${waitMs / 1000} s (${crashes.length} of ${MAX_CRASHES} in ten minutes).`,
      facts: { event: 'crash', reason, waitMs },
    })
    await pause(deps, waitMs)
    if (isStopped(ending)) return exitCodes.stopped
    // A restart that was asked for meanwhile is the one that comes now.
    ending.done()
  }
}

/** Until the time is over or a request arrives. */
async function pause({ clock, ending }: SupervisorDeps, ms: number): Promise<void> {
  const rest = new AbortController()
  await Promise.race([clock.sleep(ms, rest.signal).catch(() => undefined), ending.asked])
  rest.abort()
}

function isStopped({ request }: Ending): boolean {
  return request?.kind === 'stop'
}

/** One life of the gateway. A request is passed on; one to stop is not waited for without end. */
async function once(deps: SupervisorDeps): Promise<ProcessEnd> {
  const { ending, clock, stopMs } = deps
  const child = deps.start()
  deps.started(child)
  let cancel = () => {}
  const forward = ending.onRequest(({ kind }) => {
    child.tell({ order: kind })
    cancel()
    cancel = clock.after(stopMs, () => child.kill(), { background: true })
  })
  const end = await child.ended
  forward()
  cancel()
  const isRestart = ending.request?.kind === 'restart'
  if (isRestart) ending.done()
  return isRestart && end.code !== exitCodes.config ? { code: exitCodes.again, signal: null } : end
}

function givenUp({ say }: SupervisorDeps, reason: string, count: number): number {
  say({
    type: 'warning',
    style: 'red',
    message: `THE GATEWAY IS DOWN: it crashed ${count} times in ten minutes (last: ${reason}) and is not started again. Look into logs/svc.log, then: svc gateway start`,
    facts: { event: 'given-up', reason },
  })
  return exitCodes.failed
}

function describeEnd({ code, signal }: ProcessEnd): string {
  if (signal) return `ended by ${signal}`
  return code === null ? 'it could not be started' : `exit code ${code}`
}
