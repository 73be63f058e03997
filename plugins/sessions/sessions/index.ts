import { join } from 'node:path'
import { Clock, definePlugin, errorMessage, Home, Random, Sessions, TurnEnded } from 'svc/sdk'
import { StatusSections } from 'svc/sdk/operations'
import { Storage } from 'svc/sdk/storage'
import { SharedScopes, SharedTables } from 'svc/sdk/store'
import { Announcements } from './announcements.ts'
import { type Config, config } from './config.ts'
import { systemProcesses } from './processes.ts'
import { resumeRemovals } from './removal.ts'
import type { Retention } from './retention.ts'
import { sharedTables } from './shared.ts'
import { SessionStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let store: SessionStore | undefined
    const announcements = new Announcements(ctx)
    ctx.add(SharedTables, sharedTables(join(ctx.dataDir, 'sessions.db')))
    ctx.provide(Sessions, () => {
      const clock = ctx.use(Clock)
      store = new SessionStore({
        storage: () => ctx.use(Storage),
        file: join(ctx.dataDir, 'sessions.db'),
        clock,
        random: ctx.use(Random),
        processes: systemProcesses(clock),
        trash: ctx.use(Home).path('trash'),
        nextNumber: () => ctx.find(SharedScopes)?.nextNumber(),
        announce: announcements.announce,
        rejected: ({ session, name, aside }) =>
          ctx.log.error(
            `The stored value ${name} of conversation ${session} is damaged, so the conversation continues without it. It is kept in sessions.db as ${aside}.`,
          ),
      })
      return store
    })
    ctx.add(StatusSections, {
      ...{ name: 'conversations', title: 'Conversations', order: 80 },
      read: async () =>
        (await import('./status-section.ts')).readConversationsStatus(ctx.use(Sessions), ctx.use(Clock).now()),
    })
    const { retention_days: days } = ctx.config
    let retention: Promise<Retention> | undefined
    const begin = async (kept: SessionStore, limit: number) => {
      const { Retention } = await import('./retention.ts')
      const told = join(ctx.dataDir, 'retention-refused')
      const [clock, log, signal] = [ctx.use(Clock), ctx.log, ctx.signal]
      return new Retention({ database: kept.database, days: limit, clock, log, signal, trash: kept.trash, told })
    }
    // Completes removals that a crash interrupted: no caller waits for them.
    let resuming: Promise<void> | undefined
    ctx.on(TurnEnded, () => {
      if (!store || resuming) return
      resuming = resumeRemovals(store.database, { clock: ctx.use(Clock), signal: ctx.signal }).catch((error: unknown) =>
        ctx.log.warn(`The removal of conversations could not be finished: ${errorMessage(error)}`, { error }),
      )
    })
    // A command that only looks removes nothing; who talks has waited for a model and does not notice.
    if (days !== undefined)
      ctx.on(TurnEnded, async () => {
        if (!store) return
        retention ??= begin(store, days)
        ;(await retention).daily()
      })
    ctx.defer(async () => {
      await (await retention)?.idle()
      await resuming
      await announcements.idle()
      await store?.close()
    })
  },
})
