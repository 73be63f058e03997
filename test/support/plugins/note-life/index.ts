/** Notes when a process starts and stops, and where sessions work. */
import { definePlugin } from 'svc/sdk'
import { SvcStarted, SvcStopping, WorkingFolderChanged } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(SvcStarted, ({ role, pid }) => ctx.log.info('started', { role, pid }))
    // All listeners of the process share 900 ms: write what must not be lost, and nothing else.
    ctx.on(SvcStopping, ({ role }) => ctx.log.info('works', { role }))
    ctx.on(WorkingFolderChanged, (change) => ctx.log.info('folder', { ...change }))
  },
})
