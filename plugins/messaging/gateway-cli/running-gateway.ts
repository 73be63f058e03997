/** The gateway as another process sees it: asked through its socket, or looked up in the files it leaves. */
import { Home, type PluginContext, SvcError } from 'svc/sdk'
import type { GuardState } from 'svc/sdk/host'
import { Control } from 'svc/sdk/host'
import { isDescendantOf } from 'svc/sdk/kit/process'
import type { GatewayStatus } from 'svc/sdk/platform'
import { findHolder, type Holder } from './single-instance.ts'

/** An address that the gateway answers on. */
export interface ListenAddress {
  readonly name: string
  /** As a program of this machine reaches it. */
  readonly url: string
  /** What it is bound to: `host:port`. */
  readonly bound: string
  /** Whether other machines can connect. */
  readonly isReachable: boolean
}

/** What a gateway says of itself. */
export interface Report extends GatewayStatus {
  /** It has done all it does at its start. */
  readonly isReady: boolean
  /** The process that watches over it. */
  readonly supervisor?: number
  readonly doors: readonly ListenAddress[]
  /** Guards that do not do all they are there for. */
  readonly unguarded: readonly GuardState[]
  /** Why and how it ends, once it does. */
  readonly ending?: 'stop' | 'restart'
}

/** What it says when it is asked to end. */
export interface Accepted {
  readonly pid: number
  readonly supervisor?: number
  readonly drainMs: number
}

/** What it says when it is to begin no turns. */
export interface Drained {
  readonly drainedAt: number
  /** Turns under way. */
  readonly busy: number
}

const STATUS_MS = 3000
/** A platform that is connected again may take its time. */
const TELL_MS = 90_000

/** Where this home keeps what gateways leave. */
export function getGatewayFiles(ctx: PluginContext<undefined>) {
  const home = ctx.use(Home)
  return {
    lock: home.path('data', ctx.name, 'gateway.lock'),
    order: home.path('data', ctx.name, 'gateway.order'),
    state: home.path('gateway_state.json'),
    log: home.path('logs', 'gateway.log'),
  }
}

/** The status of the gateway that runs; undefined when none answers. */
export async function askStatus(ctx: PluginContext<undefined>): Promise<Report | undefined> {
  const answers = await ctx.use(Control).ask('gateway.status', {}, { timeoutMs: STATUS_MS })
  return answers.find(({ command, error }) => command === 'gateway' && !error)?.result as Report | undefined
}

/** The process that holds the home, when there is one: it may not answer yet, or not any more. */
export function runningHolder(ctx: PluginContext<undefined>): Holder | undefined {
  return findHolder(getGatewayFiles(ctx).lock)
}

/** Tells the gateway to do something. Throws `GATEWAY_NOT_RUNNING`, or what it says. */
export async function tell(
  ctx: PluginContext<undefined>,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  limitMs = TELL_MS,
): Promise<unknown> {
  const answers = await ctx.use(Control).ask(`gateway.${method}`, params, { timeoutMs: limitMs })
  const answer = answers.find(({ command, error }) => command === 'gateway' && error?.code !== 'CONTROL_METHOD_UNKNOWN')
  if (!answer) throw new SvcError('GATEWAY_NOT_RUNNING', 'No gateway of this home runs. Start it: svc gateway start')
  if (answer.error) throw new SvcError(answer.error.code, answer.error.message)
  return answer.result
}

/** Whether this process is the gateway that it talks to, or was started by it, such as by its agent's terminal. */
export function isInside(pid: number): boolean {
  return pid === process.pid || isDescendantOf(pid)
}
