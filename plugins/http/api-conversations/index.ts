/** Wires the routes of conversations, and the service by which responses belong to one. */
import { join } from 'node:path'
import { Clock, definePlugin } from 'svc/sdk'
import { Storage } from 'svc/sdk/storage'
import { ApiConversations, ApiRoutes } from 'svc/sdk/web'
import { conversationRoutes } from './routes.ts'
import { ConversationStore } from './store.ts'

export default definePlugin({
  setup(ctx) {
    const store = new ConversationStore(() => ctx.use(Storage), join(ctx.dataDir, 'conversations.db'))
    ctx.provide(ApiConversations, () => ({
      find: (id, scope) => store.content(id, scope),
      append: (id, scope, items, place) => store.append({ id, scope, items, place, at: ctx.use(Clock).now() }),
    }))
    for (const route of conversationRoutes(ctx, store)) ctx.add(ApiRoutes, route)
    ctx.defer(() => store.close())
  },
})
