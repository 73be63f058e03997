/** A tool that asks a service in JSON. */
import { definePlugin, defineTool, Net, Tools } from 'svc/sdk'
import { z } from 'zod'

export default definePlugin({
  setup(ctx) {
    ctx.add(
      Tools,
      defineTool({
        name: 'forecast',
        description: 'Asks a weather service.',
        input: z.object({ url: z.string() }),
        reach: 'nothing',
        run: async ({ url }, { signal }) => {
          const response = await ctx.use(Net).request({ url, json: { city: 'Graz' }, timeoutMs: 5000, signal })
          const { sky } = await response.json(z.object({ sky: z.string() }))
          ctx.log.info('works', { sky })
          return `The sky is ${sky}.`
        },
      }),
    )
  },
})
