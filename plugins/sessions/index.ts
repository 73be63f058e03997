import { join } from 'node:path'
import { Clock, definePlugin, errorMessage, Random, Sessions, Storage } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { systemProcesses } from './processes.ts'
import { SessionStore } from './store.ts'

const DAY_MS = 86_400_000

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let store: SessionStore | undefined
    ctx.provide(Sessions, () => {
      const clock = ctx.use(Clock)
      store = new SessionStore({
        storage: () => ctx.use(Storage),
        file: join(ctx.dataDir, 'sessions.db'),
        clock,
        random: ctx.use(Random),
        processes: systemProcesses(clock),
      })
      const { retention_days: days } = ctx.config
      if (days !== undefined) {
        const log = (removed: readonly unknown[]) =>
          removed.length > 0 && ctx.log.info('old conversations were removed', { count: removed.length, days })
        const failed = (error: unknown) =>
          ctx.log.warn('old conversations were not removed', { error: errorMessage(error) })
        store.prune({ usedBefore: clock.now() - days * DAY_MS }).then(log, failed)
      }
      return store
    })
    ctx.defer(() => store?.close())
  },
})
