/** Provides `shared-scopes`: rows of local databases at a server that several machines share. Idle without `storage.url`. */
import { definePlugin, type PluginContext } from 'svc/sdk'
import { toRegistration } from 'svc/sdk/kit/async'
import { Storage } from 'svc/sdk/storage'
import { DatabaseWatchers, SharedScopes, SharedStore } from 'svc/sdk/store'
import { type Config, config } from './config.ts'
import { Replication } from './replication.ts'

/** There is one machine, whose processes see the same files. */
const UNSHARED: SharedScopes = {
  isShared: false,
  hold: async () => {
    const release = async () => {}
    return { signal: new AbortController().signal, release, [Symbol.asyncDispose]: release }
  },
  follow: async () => {},
  nextNumber: () => undefined,
  onChange: () => toRegistration(() => {}),
}

export default definePlugin<Config>({
  config,
  setup(ctx) {
    if (ctx.use(SharedStore).location === 'files') {
      ctx.provide(SharedScopes, () => UNSHARED)
      ctx.add(DatabaseWatchers, { name: ctx.name, opened: () => undefined })
      return
    }
    // Scopes that are held outlive a reload of this plugin.
    const replication = ctx.keep('replication', openReplication, (open) => open.close())
    ctx.provide(SharedScopes, () => replication)
    ctx.add(DatabaseWatchers, { name: ctx.name, opened: (database) => replication.opened(database) })
    // What other machines said is to be found before a turn begins; a command that only looks does not wait for a server.
    if (ctx.process.role !== 'command')
      ctx.onStart(() => {
        replication
          .follow()
          .catch((error: unknown) => ctx.log.warn('Nothing is shared with other machines yet.', { error }))
      })
  },
})

function openReplication(ctx: PluginContext<Config>): Replication {
  return new Replication({
    ctx,
    open: ({ file, migrations }) => ctx.use(Storage).open({ file, migrations }),
    async connect(deps) {
      const { connect } = await import('./connect.ts')
      return connect(ctx, deps)
    },
  })
}
