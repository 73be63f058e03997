/** Keeps a list for each project. */
import { definePlugin } from 'svc/sdk'
import { TurnStarted } from 'svc/sdk/hooks'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    const folders = ctx.state('folders', { schema: z.array(z.string()), initial: [], per: 'project' })
    ctx.on(TurnStarted, async ({ cwd }) => {
      await folders.update((known) => [...new Set([...known, cwd])])
      ctx.log.info('works', { folders: folders.get().length })
    })
  },
})
