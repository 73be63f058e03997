/** Takes a snapshot of the files of a session. */
import { definePlugin, SlashCommands } from 'svc/sdk'
import { Checkpoints } from 'svc/sdk/sessions'

export default definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, {
      name: 'save-files',
      description: 'Take a snapshot of the files.',
      async run(_args, { conversation }) {
        ctx.log.info('works')
        const taken = await ctx.find(Checkpoints)?.take(conversation.cwd, 'on request')
        return taken?.id ? `Saved as ${taken.id}.` : `Nothing was saved: ${taken?.why ?? 'there are no checkpoints'}.`
      },
    })
  },
})
