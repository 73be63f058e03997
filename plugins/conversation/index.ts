import { join } from 'node:path'
import { Conversations, definePlugin, ProcessNoticed, SlashCommands, Storage } from 'svc/sdk'
import { slashCommands } from './commands.ts'
import { OpenConversations } from './conversations.ts'
import { WaitingStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    const store = new WaitingStore(() => ctx.use(Storage), join(ctx.dataDir, 'waiting.db'))
    const conversations = new OpenConversations(ctx, store)
    ctx.provide(Conversations, () => conversations)
    for (const command of slashCommands(ctx)) ctx.add(SlashCommands, command)
    ctx.on(ProcessNoticed, ({ sessionId, text }) => conversations.of(sessionId)?.send(text, { whenBusy: 'steer' }))
    ctx.defer(async () => {
      await conversations.close()
      await store.close()
    })
  },
})
