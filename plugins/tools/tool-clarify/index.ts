/** Wires the tool `clarify`. */
import { Clock, definePlugin, Questions, Tools } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { clarifyTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const deps = { questions: () => ctx.use(Questions), clock: () => ctx.use(Clock) }
    ctx.add(Tools, clarifyTool(deps, ctx.config))
  },
})
