/** Wires the browser tools. */
import { AuxiliaryModels, Browser, Clock, definePlugin, Tools, UrlGuard } from 'svc/sdk'
import { browserTools } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    const host = {
      browser: () => ctx.use(Browser),
      guard: () => ctx.use(UrlGuard),
      clock: () => ctx.use(Clock),
      models: () => ctx.find(AuxiliaryModels),
    }
    const { mayEvaluate } = host.browser()
    for (const tool of browserTools(host, { mayEvaluate })) ctx.add(Tools, tool)
  },
})
