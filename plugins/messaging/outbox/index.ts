import { join } from 'node:path'
import { CliCommands, Clock, definePlugin, type PluginContext, Random, Secrets } from 'svc/sdk'
import { MessageFormatter, Outbox, type Platform, Platforms } from 'svc/sdk/platform'
import { Traces } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import { SharedScopes, SharedTables } from 'svc/sdk/store'
import { SafeFetch } from 'svc/sdk/web'
import { outboxCommand } from './cli.ts'
import { OutboxFiles } from './files.ts'
import { MessageOutbox } from './outbox.ts'
import { sharedTables } from './shared.ts'
import { OutboxStore, parseFiles } from './store.ts'

export default definePlugin({
  setup(ctx) {
    // It serves platforms that stay connected while this plugin is reloaded.
    const outbox = ctx.keep('outbox', openOutbox, (open) => open.close())
    ctx.provide(Outbox, () => outbox)
    ctx.add(SharedTables, sharedTables(join(ctx.dataDir, 'outbox.db')))
    ctx.add(CliCommands, outboxCommand(outbox))
  },
})

function openOutbox(ctx: PluginContext<undefined>): MessageOutbox {
  const files = new OutboxFiles(join(ctx.dataDir, 'files'), () => ctx.use(Random))
  const store = new OutboxStore({
    storage: () => ctx.use(Storage),
    file: join(ctx.dataDir, 'outbox.db'),
    clock: () => ctx.use(Clock),
    forgotten: (gone) => files.drop(parseFiles({ files: gone })),
  })
  return new MessageOutbox(ctx, {
    store,
    files,
    log: ctx.log,
    clock: () => ctx.use(Clock),
    isShared: () => ctx.find(SharedScopes)?.isShared === true,
    random: () => ctx.use(Random),
    text: () => ctx.use(MessageFormatter),
    mask: (text) => ctx.use(Secrets).mask(text),
    secretIn: (url) => ctx.use(SafeFetch).secretIn(url),
    platforms: () => ctx.all(Platforms).all(),
    home: ({ settings, access }: Platform) => {
      const variable = access?.home
      return settings?.home_channel || (variable && ctx.use(Secrets).get(variable)) || undefined
    },
    trace: (...stage) => ctx.find(Traces)?.note(...stage),
  })
}
