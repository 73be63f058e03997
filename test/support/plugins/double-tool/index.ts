/** A tool for the model. */
import { definePlugin, defineTool, Tools } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Tools,
      defineTool({
        name: 'double',
        description: 'Doubles a word.',
        input: z.object({ word: z.string() }),
        effect: 'pure',
        reach: 'nothing',
        run: ({ word }) => {
          ctx.log.info('works')
          return `${word}${word} sk-123`
        },
      }),
    )
  },
})
