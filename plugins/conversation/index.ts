import { Conversations, definePlugin, ProcessNoticed, SlashCommands } from 'svc/sdk'
import { slashCommands } from './commands.ts'
import { OpenConversations } from './conversations.ts'

export default definePlugin({
  setup(ctx) {
    const conversations = new OpenConversations(ctx)
    ctx.provide(Conversations, () => conversations)
    for (const command of slashCommands(ctx)) ctx.add(SlashCommands, command)
    ctx.on(ProcessNoticed, ({ sessionId, text }) => conversations.of(sessionId)?.send(text, { whenBusy: 'steer' }))
    ctx.defer(() => conversations.close())
  },
})
