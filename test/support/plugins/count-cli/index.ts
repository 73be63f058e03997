/** A shell command with state that is kept. */
import { CliCommands, definePlugin } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    const count = ctx.state('count', { schema: z.number(), initial: 0 })
    ctx.add(CliCommands, {
      name: 'count',
      description: 'Count how often this ran.',
      run: async () => {
        ctx.log.info('works', { role: ctx.process.role })
        return `${await count.update((value) => value + 1)}`
      },
    })
  },
})
