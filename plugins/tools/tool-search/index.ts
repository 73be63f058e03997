/** Wires the deferral of tools and the bridge by which a model reaches them. */
import { definePlugin, PromptParts, SelectTools, Tools } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { deferTools } from './deferral.ts'
import { DeferredTools } from './deferred-tools.ts'
import { moreTools } from './more-tools.ts'
import { bridgeTools } from './tools.ts'

/** After everybody who switches tools on and off. */
const LATE = 150

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const tools = ctx.all(Tools)
    const find = (name: string) => tools.get(name)
    const deferred = new DeferredTools()
    ctx.on(
      SelectTools,
      (offer, { sessionId }) => {
        const decided = deferTools(offer, find, ctx.config)
        deferred.keep(sessionId, decided.deferred)
        return decided
      },
      { order: LATE },
    )
    ctx.add(
      PromptParts,
      moreTools((sessionId) => deferred.of(sessionId), find),
    )
    for (const tool of bridgeTools((sessionId) => deferred.of(sessionId), find)) ctx.add(Tools, tool)
  },
})
