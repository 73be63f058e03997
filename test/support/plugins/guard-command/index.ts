/** Refuses a slash command. */
import { BeforeSlashCommand, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeSlashCommand, ({ command, args }) => {
      if (command.name !== 'shout' || args !== 'quiet') return undefined
      ctx.log.info('works')
      return { decision: 'deny', reason: 'it is night' }
    })
  },
})
