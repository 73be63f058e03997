/** Dispatches until a signal aborts. */
import { Clock, type PluginContext } from 'svc/sdk'
import { Boards, type DispatchOptions } from 'svc/sdk/kanban'
import { Gateway } from 'svc/sdk/platform'
import { SharedStore } from 'svc/sdk/store'
import type { Config } from './config.ts'
import { DispatchLoop } from './loop.ts'
import { openDispatcher, openPlanning } from './open.ts'
import type { DispatchReport } from './report.ts'

export async function startLoop(
  ctx: PluginContext<Config>,
  {
    signal,
    options,
    isAlone,
    onReport,
    onHold,
  }: {
    readonly signal: AbortSignal
    readonly options: DispatchOptions
    readonly isAlone: boolean
    readonly onReport?: (report: DispatchReport) => void
    /** Called with the loop while this process is the one that dispatches, and with undefined when it no longer is. */
    readonly onHold?: (loop: DispatchLoop | undefined) => void
  },
): Promise<void> {
  const planning = openPlanning(ctx, signal)
  const loop: DispatchLoop = new DispatchLoop({
    store: () => ctx.use(SharedStore),
    boards: () => ctx.use(Boards),
    dispatcher: openDispatcher(ctx, { wake: () => loop.wake(), signal }),
    clock: ctx.use(Clock),
    log: ctx.log,
    intervalMs: () => ctx.config.interval_seconds * 1000,
    options,
    isDraining: () => ctx.find(Gateway)?.isDraining ?? false,
    isAlone,
    onReport: (report) => {
      planning.looked()
      onReport?.(report)
    },
    ...(onHold && { onHold: (isHeld) => onHold(isHeld ? loop : undefined) }),
  })
  await loop.run(signal)
  await planning.settled()
}
