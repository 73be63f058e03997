import { definePlugin, logFault } from 'svc/sdk'
import { DASHBOARD_METHODS, Dashboard } from 'svc/sdk/dashboard'
import { Control, Plugins } from 'svc/sdk/host'
import { createHost, place } from './serving.ts'

export default definePlugin({
  setup(ctx) {
    if (ctx.process.role !== 'gateway') return
    const kept = ctx.state('place', { schema: place.nullable(), initial: null })
    const host = createHost({
      dashboard: async () => {
        const dashboard = await ctx.use(Plugins).bring(Dashboard)
        if (!dashboard) throw new Error('the plugin dashboard does not run; see svc plugins')
        return dashboard
      },
      keep: async (value) => void (await kept.update(() => value)),
    })
    ctx.onStart(async () => {
      const off = ctx.use(Control).answer({
        [DASHBOARD_METHODS.open]: host.open,
        [DASHBOARD_METHODS.status]: { read: true, run: host.status },
        [DASHBOARD_METHODS.stop]: host.stop,
      })
      ctx.defer(off)
      const before = await kept.get()
      // A gateway that is started again has what it had; chats do not wait for it.
      if (before) void host.open(before).catch((error) => logFault(ctx.log, 'the dashboard is not served again', error))
    })
    ctx.defer(() => host.close())
  },
})
