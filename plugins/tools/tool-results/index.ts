/** Wires what becomes of large tool results. */
import { AfterToolCall, BeforeModelRequest, Clock, definePlugin, Models, Random, Secrets, Tools } from 'svc/sdk'
import { ReadableFolders } from 'svc/sdk/safety'
import { forgetWithSessions } from 'svc/sdk/sessions'
import { config } from './config.ts'
import { Limits } from './limits.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const limits = new Limits(ctx.config, () => ctx.find(Models))
    ctx.add(ReadableFolders, { name: ctx.name, path: ctx.dataDir })
    forgetWithSessions(ctx, {
      sessions: async () => (await import('./spill.ts')).listSpilled(ctx.dataDir),
      forget: async (ids) => (await import('./spill.ts')).removeSpilled(ctx.dataDir, ids),
    })
    ctx.on(BeforeModelRequest, (_, turn) => limits.begin(turn.sessionId))
    ctx.on(
      AfterToolCall,
      async (result, request) => {
        if (!limits.concerns(result, request)) return undefined
        const { boundResult, describeOpening } = await import('./bound-result.ts')
        return boundResult(result, request, {
          limits,
          folder: ctx.dataDir,
          keep: { ms: ctx.config.keep_days * 86_400_000, bytes: ctx.config.keep_megabytes * 1_000_000 },
          now: () => ctx.use(Clock).now(),
          random: () => ctx.use(Random),
          mask: (text) => ctx.use(Secrets).mask(text),
          untrusted: ({ origin }, name) => origin !== undefined || ctx.all(Tools).get(name)?.untrusted === true,
          howToOpen: () => describeOpening(ctx.all(Tools).all()),
          warn: (text) => ctx.log.warn(text),
        })
      },
      // After those that rewrite results.
      { order: 1050 },
    )
  },
})
