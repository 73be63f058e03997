/** Wires compression into every request. Nothing of it is loaded until a conversation has some length. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BeforeModelRequest, Clock, createTranslator, definePlugin, SlashCommands } from 'svc/sdk'
import { Compaction, forgetWithSessions, Summarizers } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import { compressCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import type { CompressionService } from './service.ts'
import { totalTokens } from './tokens.ts'

/** Fewer messages than this have nothing between head and tail. */
const LEAST_MESSAGES = 6

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const file = join(ctx.dataDir, 'compression.db')
    const load = async () => {
      const [{ CompressionStore }, { Compressor }, { Automatic }, { CompressionService }] = await Promise.all([
        import('./store.ts'),
        import('./compressor.ts'),
        import('./automatic-compression.ts'),
        import('./service.ts'),
      ])
      const store = new CompressionStore({ storage: () => ctx.use(Storage), clock: () => ctx.use(Clock), file })
      const compressor = new Compressor(ctx, store)
      const service = new CompressionService(ctx, store, compressor)
      return { store, automatic: new Automatic(ctx, store, compressor), service }
    }
    let loaded: ReturnType<typeof load> | undefined
    const parts = () => {
      loaded ??= load()
      return loaded
    }
    const compress: CompressionService['compress'] = async (sessionId, options, choice) => {
      const { service, automatic } = await parts()
      const report = await service.compress(sessionId, options, choice)
      if (!options?.preview) automatic.forget(sessionId)
      return report
    }
    ctx.provide(Compaction, () => ({
      compress,
      tokens: totalTokens,
      shorten: async (messages, options) => (await parts()).service.shorten(messages, options),
    }))
    forgetWithSessions(ctx, {
      sessions: async () => (existsSync(file) ? (await parts()).store.sessions() : []),
      forget: async (ids) => (await parts()).store.forget(ids),
      until: 'removed',
    })
    ctx.add(Summarizers, {
      name: 'summary',
      summarise: async (request) => {
        const { SummaryEngine } = await import('./engine.ts')
        return new SummaryEngine(ctx).summarise(request)
      },
    })
    ctx.on(BeforeModelRequest, async (messages, info, call) => {
      if (!ctx.config.enabled || (messages.length < LEAST_MESSAGES && !info.overflowed)) return undefined
      const { automatic } = await parts()
      return automatic.request(messages, info, AbortSignal.any([info.signal, call.signal, ctx.signal]))
    })
    ctx.add(
      SlashCommands,
      compressCommand((at, options) => compress(at.sessionId, options, at.conversation.settings), {
        t: createTranslator(ctx),
        log: ctx.log,
      }),
    )
    ctx.defer(async () => (await loaded)?.store.close())
  },
})
