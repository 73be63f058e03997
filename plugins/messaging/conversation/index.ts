import { join } from 'node:path'
import { Conversations, definePlugin, type PluginContext, Random, SlashCommands } from 'svc/sdk'
import { ProcessNotified } from 'svc/sdk/hooks'
import { forgetWithSessions } from 'svc/sdk/sessions'
import { Storage } from 'svc/sdk/storage'
import { SharedScopes, SharedTables } from 'svc/sdk/store'
import { slashCommands } from './commands.ts'
import { OpenConversations } from './conversations.ts'
import { sharedTables } from './shared.ts'
import { WaitingStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    // Front ends hold their conversations, which survive any reload.
    const conversations = ctx.keep('conversations', openConversations, (open) => open.close())
    ctx.provide(Conversations, () => conversations)
    ctx.add(SharedTables, sharedTables(waitingFile(ctx)))
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

const waitingFile = (ctx: PluginContext<undefined>) => join(ctx.dataDir, 'waiting.db')

function openConversations(ctx: PluginContext<undefined>): OpenConversations {
  const store = new WaitingStore({
    storage: () => ctx.use(Storage),
    file: waitingFile(ctx),
    scopes: () => ctx.find(SharedScopes),
    owner: ctx.use(Random).uuid(),
  })
  return new OpenConversations(ctx, store)
}
