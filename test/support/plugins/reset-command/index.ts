/** A slash command that asks before it does something. */
import { definePlugin, SlashCommands } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, {
      name: 'reset-counter',
      description: 'Reset the counter.',
      run: async (_args, { person }) => {
        ctx.log.info('works')
        const isAgreed = await person.confirm('Reset the counter?')
        return isAgreed ? 'The counter is 0.' : 'The counter stays as it is.'
      },
    })
  },
})
