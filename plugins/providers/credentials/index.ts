/** Provides `credentials`: keys of model providers from `auth.json` and from variables. */
import { Clock, definePlugin, Random } from 'svc/sdk'
import { HealthChecks } from 'svc/sdk/host'
import { StatusSections } from 'svc/sdk/operations'
import { Credentials } from 'svc/sdk/provider'
import { type Config, config } from './config.ts'
import { keysCheck } from './health.ts'
import { KeyPool } from './pool.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    let pool: KeyPool | undefined
    ctx.provide(Credentials, () => {
      const keys = new KeyPool(ctx)
      pool = keys
      const manage = () => import('./manage-keys.ts')
      return {
        take: (provider, keyNames) => keys.take(provider, keyNames),
        status: (provider, keyNames) => keys.status(provider, keyNames),
        async list(provider) {
          await keys.file.settled()
          return (await manage()).listKeys(keys.file, provider)
        },
        add: async (wanted) => (await manage()).addKey(keys.file, wanted, () => ctx.use(Random).hex(3)),
        remove: async (provider, ids) => (await manage()).removeKeys(keys.file, provider, ids, ctx.use(Clock).now()),
        restore: async (ids) => (await manage()).restoreKeys(keys.file, ids),
        async reset(provider) {
          keys.forget(provider)
          return (await manage()).resetKeys(keys.file, provider)
        },
      }
    })
    ctx.add(StatusSections, {
      ...{ name: 'keys', title: 'Keys and sign-ins', order: 30 },
      read: async () => (await import('./status-section.ts')).readKeysStatus(ctx.use(Credentials)),
    })
    ctx.add(
      HealthChecks,
      keysCheck(() => ctx.use(Credentials)),
    )
    ctx.defer(() => pool?.close())
  },
})
