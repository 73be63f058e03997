/** A log file of its own, which `svc logs visits` shows. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Clock, definePlugin } from 'svc/sdk'
import { LogFiles } from 'svc/sdk/operations'

export default definePlugin({
  setup(ctx) {
    const path = join(ctx.dataDir, 'visits.log')
    ctx.add(LogFiles, { name: 'visits', title: 'Who came by', path })
    ctx.onStart(() => {
      mkdirSync(ctx.dataDir, { recursive: true })
      appendFileSync(path, `${new Date(ctx.use(Clock).now()).toISOString()} a visitor\n`)
      ctx.log.info('works')
    })
  },
})
