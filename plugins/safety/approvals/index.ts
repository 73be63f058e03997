import {
  Approvals,
  CliCommands,
  Control,
  ConversationOpened,
  definePlugin,
  SlashCommands,
  StatusItems,
  ToolCalling,
  ToolCompleted,
  ToolRunning,
  translator,
} from 'svc/sdk'
import { approvalsCommand } from './cli.ts'
import { approvalSlashCommands, yoloItem } from './commands.ts'
import { type Config, config } from './config.ts'
import { createParts } from './parts.ts'
import { askNothing, relaxations, reportRelaxed, YOLO } from './relaxed.ts'
import { answerRemote, approvalMethods, remotePending } from './remote.ts'
import { Unasked } from './unasked.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const { store, pending, questions, gate } = createParts(ctx)
    ctx.provide(Approvals, () => ({
      connect: (approver) => pending.connect(approver),
      pending: () => pending.pending(),
      request: (asked, about, turn) => questions.request(asked, about, turn),
      answer: (id, choice, by, reason) => pending.answer(id, choice, by, reason),
      askNothing: (sessionId) => askNothing(ctx, pending, sessionId),
    }))
    ctx.on(ToolCalling, (request) => gate.decide(request))
    ctx.on(ToolRunning, (request, next) => {
      gate.runs(request)
      return next(request)
    })
    ctx.on(ToolCompleted, (result, request) => gate.note(result, request))
    ctx.add(
      CliCommands,
      approvalsCommand({
        store,
        pending: () => remotePending(ctx),
        answer: (id, choice) => answerRemote(ctx, id, choice),
      }),
    )
    ctx.onStart(() => void ctx.find(Control)?.answer(approvalMethods(pending)))
    const t = translator(ctx)
    const unasked = new Unasked(ctx, pending, t)
    for (const command of approvalSlashCommands(pending, unasked, t)) ctx.add(SlashCommands, command)
    ctx.on(ConversationOpened, ({ conversation }) => unasked.opened(conversation))
    ctx.add(StatusItems, yoloItem(pending))
    ctx.onStart(() => reportRelaxed(ctx, [...relaxations(ctx.config), ...(pending.asksNothing() ? [YOLO] : [])]))
    ctx.defer(() => store.close())
  },
})
