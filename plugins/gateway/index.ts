import { join } from 'node:path'
import { definePlugin, Gateway, ProcessNoticed, PromptParts, ReadableFolders, SlashCommands, Storage } from 'svc/sdk'
import { gatewayCommands } from './commands.ts'
import { type Config, config } from './config.ts'
import { MessageGateway } from './gateway.ts'
import { chatPart } from './prompt.ts'
import { GatewayStore } from './store.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const store = new GatewayStore(() => ctx.use(Storage), join(ctx.dataDir, 'gateway.db'))
    const gateway = new MessageGateway(ctx, store)
    ctx.provide(Gateway, () => gateway)
    ctx.add(ReadableFolders, { name: ctx.name, path: join(ctx.dataDir, 'media') })
    for (const command of gatewayCommands(ctx, gateway)) ctx.add(SlashCommands, command)
    ctx.add(PromptParts, chatPart(ctx, store))
    ctx.on(ProcessNoticed, ({ sessionId, text }) => gateway.tell(sessionId, text))
    ctx.defer(async () => {
      await gateway.stop()
      await store.close()
    })
  },
})
