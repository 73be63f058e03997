import { AfterToolCall, Conversations, definePlugin, Sessions, SlashCommands, Tools, TurnEnded } from 'svc/sdk'
import { ConversationOpened } from 'svc/sdk/hooks'
import { ReadableFolders } from 'svc/sdk/safety'
import { StopRequested } from 'svc/sdk/sessions'
import { StatusItems } from 'svc/sdk/terminal'
import { RpcMethods } from 'svc/sdk/web'
import { noteCall } from './child-notes.ts'
import { agentsCommand } from './commands.ts'
import { type Config, config } from './config.ts'
import { Delegations } from './delegations.ts'
import { ReadFiles } from './read-files.ts'
import { rpcMethods } from './rpc-methods.ts'
import { summaryFolder } from './summary-file.ts'
import { delegateTool } from './tools.ts'

const FIRST_LOOK_MS = 5000
const LOOK_MS = 30_000

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const reads = new ReadFiles()
    const delegations = new Delegations(ctx, reads)
    ctx.add(
      Tools,
      delegateTool(() => delegations),
    )
    ctx.add(SlashCommands, agentsCommand(ctx, delegations))
    for (const method of rpcMethods(ctx.config, delegations)) ctx.add(RpcMethods, method)
    ctx.add(StatusItems, {
      name: 'subagents',
      order: 41,
      line: ({ sessionId }) => {
        const count = delegations.live(sessionId).length
        return count > 0 ? [{ text: `⇉ ${count}`, role: 'status' }] : undefined
      },
    })
    ctx.add(ReadableFolders, { name: ctx.name, path: summaryFolder(ctx) })
    ctx.on(AfterToolCall, (result, event) => {
      const { sessionId } = event.turn
      reads.note(result, event)
      if (delegations.isLive(sessionId)) noteCall(ctx.use(Sessions).open(sessionId), result, event)
      return result
    })
    ctx.on(TurnEnded, ({ sessionId }) => delegations.turnEnded(sessionId))
    ctx.on(ConversationOpened, ({ conversation }) => delegations.recover(conversation))
    ctx.on(StopRequested, async (stopped, { conversation }) => {
      const count = await delegations.stopSession(conversation.sessionId)
      return count > 0 ? [...stopped, `${count} subagents`] : stopped
    })
    ctx.onStart(async () => {
      for (const conversation of ctx.find(Conversations)?.all() ?? []) await delegations.recover(conversation)
    })
    let isFirst = true
    if (ctx.process.role === 'gateway')
      ctx.every(
        () => (isFirst ? FIRST_LOOK_MS : LOOK_MS),
        async () => {
          isFirst = false
          await delegations.recoverChats()
        },
      )
    ctx.defer(() => delegations.close())
  },
})
