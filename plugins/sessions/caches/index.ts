/** Provides `caches`: in files, or at a server. */
import { Caches, definePlugin } from 'svc/sdk'
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
