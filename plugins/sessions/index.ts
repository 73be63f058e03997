import { join } from 'node:path'
import { Clock, definePlugin, Random, Sessions, Storage } from 'svc/sdk'
import { systemProcesses } from './processes.ts'
import { SessionStore } from './store.ts'

export default definePlugin({
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
    ctx.defer(() => store?.close())
  },
})
