import { join } from 'node:path'
import { Conversations, definePlugin, type PluginContext, SlashCommands } from 'svc/sdk'
import { ProcessNotified } from 'svc/sdk/hooks'
import { forgetWithSessions } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import { slashCommands } from './commands.ts'
import { OpenConversations } from './conversations.ts'
import { WaitingStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    // Front ends hold their conversations, which survive any reload.
    const conversations = ctx.keep('conversations', openConversations, (open) => open.close())
    ctx.provide(Conversations, () => conversations)
    forgetWithSessions(ctx, {
      sessions: () => conversations.waiting(),
      forget: (ids) => conversations.forgetWaiting(ids),
    })
    for (const command of slashCommands(ctx)) ctx.add(SlashCommands, command)
    ctx.on(ProcessNotified, ({ sessionId, text }) =>
      conversations.of(sessionId)?.send(text, { whenBusy: 'steer', source: 'process' }),
    )
  },
})

function openConversations(ctx: PluginContext<undefined>): OpenConversations {
  return new OpenConversations(ctx, new WaitingStore(() => ctx.use(Storage), join(ctx.dataDir, 'waiting.db')))
}
