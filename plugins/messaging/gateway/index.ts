import { join } from 'node:path'
import { Clock, definePlugin, type PluginContext, PromptParts, SlashCommands } from 'svc/sdk'
import { ProcessNotified } from 'svc/sdk/hooks'
import { Gateway } from 'svc/sdk/platform'
import { ReadableFolders } from 'svc/sdk/safety'
import { Storage } from 'svc/sdk/storage'
import { SharedScopes, SharedTables } from 'svc/sdk/store'
import { gatewayCommands } from './commands.ts'
import { type Config, config } from './config.ts'
import { MessageGateway } from './gateway.ts'
import { chatPart } from './prompt.ts'
import { sharedTables } from './shared.ts'
import { GatewayStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    // Chats, connections and the locks on their accounts survive a reload of this plugin.
    const { gateway, store } = ctx.keep('gateway', openGateway, async (open) => {
      await open.gateway.stop()
      await open.store.close()
    })
    ctx.provide(Gateway, () => gateway)
    ctx.add(SharedTables, sharedTables(join(ctx.dataDir, 'gateway.db')))
    ctx.add(ReadableFolders, { name: ctx.name, path: join(ctx.dataDir, 'media') })
    for (const command of gatewayCommands(ctx, gateway)) ctx.add(SlashCommands, command)
    ctx.add(PromptParts, chatPart(ctx, store))
    // The conversation says it to the agent; the gateway only sees to it that there is one.
    ctx.on(ProcessNotified, ({ sessionId }) => gateway.open(sessionId), { order: 49 })
  },
})

function openGateway(ctx: PluginContext<Config>) {
  const store = new GatewayStore(() => ctx.use(Storage), join(ctx.dataDir, 'gateway.db'), {
    clock: () => ctx.use(Clock),
    nextNumber: () => ctx.find(SharedScopes)?.nextNumber(),
  })
  return { gateway: new MessageGateway(ctx, store), store }
}
