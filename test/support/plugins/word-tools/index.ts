/** Tools whose names come from the configuration. */
import { definePlugin, defineService, defineTool, Tools } from 'svc/sdk'
import { z } from 'zod'

const Rates = defineService<{ rate(currency: string): number }>('rates')

export default definePlugin({
  config: z.object({ words: z.record(z.string(), z.string()).default({ explain_tea: 'Tea costs 4 dollars.' }) }),
  setup(ctx) {
    for (const [name, text] of Object.entries(ctx.config.words)) {
      const run = () => {
        ctx.log.info('works')
        // The service is there only where another plugin loads it.
        return `${text} ${ctx.find(Rates)?.rate('USD') ?? ''}`
      }
      ctx.add(Tools, defineTool({ name, description: text, input: z.object({}), reach: 'nothing', run }))
    }
  },
})
