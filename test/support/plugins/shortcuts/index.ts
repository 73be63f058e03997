/** Slash commands that come and go. */
import { definePlugin } from 'svc/sdk'
import { CommandProviders } from 'svc/sdk/host'

export default definePlugin({
  setup(ctx) {
    ctx.add(CommandProviders, {
      name: 'shortcuts',
      commands: () => [
        {
          name: 'hello-there',
          description: 'Answer a greeting.',
          run: () => {
            ctx.log.info('works')
            return 'General!'
          },
        },
      ],
    })
  },
})
