/** Wires the tool that sends messages to chats. Loaded with the outbox, so it is there where a gateway is. */
import { definePlugin, FileGuard, Outbox, Tools } from 'svc/sdk'
import { messageTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Tools, messageTool({ outbox: () => ctx.find(Outbox), files: () => ctx.find(FileGuard) }))
  },
})
