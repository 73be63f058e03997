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
    const { store, desk, questions, gate } = createParts(ctx)
    ctx.provide(Approvals, () => ({
      connect: (approver) => desk.connect(approver),
      pending: () => desk.pending(),
      request: (asked, about, turn) => questions.request(asked, about, turn),
      answer: (id, choice, by, reason) => desk.answer(id, choice, by, reason),
      askNothing: (sessionId) => askNothing(ctx, desk, sessionId),
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
    ctx.onStart(() => void ctx.find(Control)?.answer(approvalMethods(desk)))
    const t = translator(ctx)
    const unasked = new Unasked(ctx, desk, t)
    for (const command of approvalSlashCommands(desk, unasked, t)) ctx.add(SlashCommands, command)
    ctx.on(ConversationOpened, ({ conversation }) => unasked.opened(conversation))
    ctx.add(StatusItems, yoloItem(desk))
    ctx.onStart(() => reportRelaxed(ctx, [...relaxations(ctx.config), ...(desk.asksNothing() ? [YOLO] : [])]))
    ctx.defer(() => store.close())
  },
})
