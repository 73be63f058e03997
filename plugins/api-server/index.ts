/** Wires the API server. It listens when it is enabled. */
import { join } from 'node:path'
import { definePlugin, PromptParts, Storage } from 'svc/sdk'
import { type Config, config } from './config.ts'
import { ApiStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const store = new ApiStore(() => ctx.use(Storage), join(ctx.dataDir, 'api.db'), ctx.log)
    ctx.add(PromptParts, {
      name: 'api-instructions',
      tier: 'volatile',
      text: ({ sessionId }) => store.instructions(sessionId),
    })
    ctx.onStart(async () => {
      const { start } = await import('./server.ts')
      await start(ctx, store)
    })
    ctx.defer(() => store.close())
  },
})
