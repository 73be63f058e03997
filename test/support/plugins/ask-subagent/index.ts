/** A tool that hands a question to a subagent, which may read but change nothing. */
import { definePlugin, defineTool, Tools } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Tools,
      defineTool({
        name: 'look_around',
        description: 'Lets a helper find something out about the files of the project.',
        input: z.object({ question: z.string() }),
        effect: 'pure',
        reach: 'nothing',
        toolset: 'helpers',
        async run({ question }, turn) {
          const child = await turn.child({ text: `Find out, and answer briefly: ${question}`, toolsets: ['file'] })
          ctx.log.info('works', { reason: child.reason })
          if (child.reason === 'completed') return child.text
          return { text: child.error?.message ?? 'The helper was stopped.', failed: true }
        },
      }),
    )
  },
})
