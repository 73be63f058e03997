/** One look at the boards, for a command or another plugin. */
import type { PluginContext } from 'svc/sdk'
import type { DispatchOptions, TaskDispatch } from 'svc/sdk/kanban'
import { SharedStore } from 'svc/sdk/store'
import type { Config } from './config.ts'
import { dispatchLock, openDispatchStore, takeDispatchLock, wakeDispatcher } from './loop.ts'
import { openDispatcher, openPlanning } from './open.ts'

/** By this process, unless another one dispatches: that is told to look now. */
export async function dispatchOnce(
  ctx: PluginContext<Config>,
  options: DispatchOptions,
  signal: AbortSignal,
): ReturnType<TaskDispatch['dispatch']> {
  const dispatcher = openDispatcher(ctx, { wake: () => {}, signal })
  if (options.isDry === true) return { report: await dispatcher.tick(options) }
  await using database = await openDispatchStore(ctx.use(SharedStore))
  await using lease = await takeDispatchLock(database)
  if (!lease) {
    await wakeDispatcher(database)
    return { heldBy: (await database.locks.holder(dispatchLock()))?.holder ?? '' }
  }
  await openPlanning(ctx, signal).plan()
  const report = await dispatcher.tick(options)
  await dispatcher.settled(report)
  return { report }
}
