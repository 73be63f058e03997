/** A slash command. */
import { definePlugin, SlashCommands } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, {
      name: 'shout',
      description: 'Say it louder.',
      run: (args) => {
        ctx.log.info('works')
        return args.toUpperCase()
      },
    })
  },
})
