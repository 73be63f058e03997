/** Hooks around calls of models: of turns and of side work, such as titles and summaries. */
import { Clock, type PluginContext } from 'svc/sdk'
import { AroundModelCall, ModelCallFinished, ModelChanged } from 'svc/sdk/hooks'

export function listenToModels(ctx: PluginContext<unknown>): void {
  // wrap: the stream begins when it is read, so the time to the first event is measured inside of it.
  ctx.on(AroundModelCall, async (call, next) => {
    const events = await next(call)
    return (async function* () {
      const clock = ctx.use(Clock)
      const began = clock.monotonic()
      let isFirst = true
      for await (const batch of events) {
        if (isFirst)
          ctx.log.debug('the model begins to answer', { purpose: call.purpose, ms: clock.monotonic() - began })
        isFirst = false
        yield batch
      }
    })()
  })

  ctx.on(ModelCallFinished, ({ purpose, model, usage, durationMs, failure }) => {
    ctx.log.info('a model call has ended', { purpose, model, ...usage, ms: durationMs, failure: failure?.kind })
  })

  ctx.on(ModelChanged, ({ from, to, reason }) => ctx.log.info('the model has changed', { from, to, reason }))
}
