/** Wires the tool that sends messages to chats. Loaded with the outbox, so it is there where a gateway is. */
import { definePlugin, Tools } from 'svc/sdk'
import { Outbox } from 'svc/sdk/platform'
import { GuardedFiles } from 'svc/sdk/safety'
import { messageTool } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(Tools, messageTool({ outbox: () => ctx.find(Outbox), files: () => ctx.find(GuardedFiles) }))
  },
})
