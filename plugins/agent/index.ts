import { Agent, definePlugin, PromptParts } from 'svc/sdk'
import { createAgent } from './agent.ts'
import { config } from './config.ts'
import { environment, identity } from './prompt.ts'

export default definePlugin({
  config,
  setup(ctx) {
    ctx.provide(Agent, () => createAgent(ctx))
    ctx.add(PromptParts, environment(ctx))
    ctx.add(PromptParts, identity)
  },
})
