import { Agent, definePlugin } from 'svc/sdk'
import { createAgent } from './agent.ts'
import { config } from './config.ts'

export default definePlugin({
  config,
  setup(ctx) {
    ctx.provide(Agent, () => createAgent(ctx))
  },
})
