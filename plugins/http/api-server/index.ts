/** Wires the API server. It listens when it is enabled. */
import { join } from 'node:path'
import { definePlugin, PromptParts, SvcError } from 'svc/sdk'
import { forgetWithSessions } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import { SharedTables } from 'svc/sdk/store'
import { ApiAgent } from 'svc/sdk/web'
import { apiAgent } from './agent.ts'
import type { Api } from './api.ts'
import { type Config, config } from './config.ts'
import { sharedTables } from './shared.ts'
import { ApiStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const file = join(ctx.dataDir, 'api.db')
    const store = new ApiStore(() => ctx.use(Storage), file, ctx.log)
    ctx.add(SharedTables, sharedTables(file))
    ctx.add(PromptParts, {
      name: 'api-instructions',
      tier: 'volatile',
      text: ({ sessionId }) => store.instructions(sessionId),
    })
    let api: Api | undefined
    ctx.provide(ApiAgent, () => apiAgent(() => api ?? throwNotServed()))
    ctx.onStart(async () => {
      const { start } = await import('./server.ts')
      api = await start(ctx, store)
    })
    forgetWithSessions(ctx, { sessions: () => store.sessions(), forget: (ids) => store.forgetSessions(ids) })
    ctx.defer(() => store.close())
  },
})

function throwNotServed(): never {
  throw new SvcError('API_NOT_SERVED', 'The API server does not listen. Enable it first.', { status: 404 })
}
