import { join } from 'node:path'
import { Clock, definePlugin, Home, Random, Sessions, Storage, TurnEnded } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { systemProcesses } from './processes.ts'
import type { Retention } from './retention.ts'
import { SessionStore } from './store.ts'

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
      return store
    })
    const { retention_days: days } = ctx.config
    let retention: Promise<Retention> | undefined
    const begin = async (kept: SessionStore, limit: number) => {
      const [{ Retention }, { Trash }] = await Promise.all([import('./retention.ts'), import('./trash.ts')])
      const [clock, random, home] = [ctx.use(Clock), ctx.use(Random), ctx.use(Home)]
      const trash = () => {
        const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/\D/g, '')
        return new Trash(home.path('trash', `sessions-${time}-${random.hex(2)}.jsonl`))
      }
      const told = join(ctx.dataDir, 'retention-refused')
      return new Retention({ shelf: kept.shelf, days: limit, clock, log: ctx.log, signal: ctx.signal, trash, told })
    }
    // A command that only looks removes nothing; who talks has waited for a model and does not notice.
    if (days !== undefined)
      ctx.on(TurnEnded, async () => {
        if (!store) return
        retention ??= begin(store, days)
        ;(await retention).daily()
      })
    ctx.defer(async () => {
      await (await retention)?.idle()
      await store?.close()
    })
  },
})
