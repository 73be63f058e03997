/** Provides `caches`: in files, or at a server. */
import { definePlugin } from 'svc/sdk'
import { Caches } from 'svc/sdk/storage'
import { type Config, config } from './config.ts'
import { OpenCaches } from './open-caches.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const caches = new OpenCaches(ctx)
    ctx.provide(Caches, () => caches)
    ctx.defer(() => caches.close())
  },
})
