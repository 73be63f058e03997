/** A tool that asks the person for a name. */
import { definePlugin, defineTool, Tools } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Tools,
      defineTool({
        name: 'ask_name',
        description: 'Asks the person for a name.',
        parameters: z.object({}),
        reach: 'nothing',
        execute: async (_input, { person }) => {
          ctx.log.info('works', { isReachable: person.isReachable })
          return (await person.ask('Your name?', { timeoutMs: 1000 })) ?? 'No person can be asked.'
        },
      }),
    )
  },
})
