/** Provides `shared-store`: tables, locks and queues in SQLite files, or at a server. */
import { definePlugin } from 'svc/sdk'
import { HealthChecks } from 'svc/sdk/host'
import { SharedStore } from 'svc/sdk/store'
import { type Config, config } from './config.ts'
import { storeCheck } from './health.ts'
import { OpenStores } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const stores = new OpenStores(ctx)
    ctx.provide(SharedStore, () => stores)
    ctx.add(HealthChecks, storeCheck(stores, ctx.log))
    ctx.defer(() => stores.close())
  },
})
