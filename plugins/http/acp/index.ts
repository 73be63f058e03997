/** Wires the agent for editors: its command, and what has to be seen before and after tools run. */
import { AroundToolCall, CliCommands, definePlugin } from 'svc/sdk'
import { BeforeConversationChange } from 'svc/sdk/hooks'
import { AcpFront } from './acp-front.ts'
import { acpCommand } from './cli.ts'
import { FileChanges } from './file-changes.ts'

export default definePlugin({
  setup(ctx) {
    const changes = new FileChanges()
    ctx.on(AroundToolCall, (request, next) => changes.around(request, next))
    // A session has one id in the editor; another one is opened there.
    ctx.on(BeforeConversationChange, ({ reason, conversation }) => {
      const isMove = reason === 'new' || reason === 'resume' || reason === 'branch'
      if (!isMove || !(conversation?.front instanceof AcpFront)) return { decision: 'abstain' }
      return { decision: 'deny', reason: 'the editor opens other sessions itself' }
    })
    ctx.add(CliCommands, acpCommand(ctx, changes))
  },
})
