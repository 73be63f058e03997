import {
  AfterToolCall,
  Approvals,
  AroundToolCall,
  BeforeToolCall,
  CliCommands,
  createTranslator,
  definePlugin,
  SlashCommands,
} from 'svc/sdk'
import { ConversationOpened } from 'svc/sdk/hooks'
import { Control } from 'svc/sdk/host'
import { forgetWithSessions } from 'svc/sdk/sessions'
import { StatusItems } from 'svc/sdk/terminal'
import { approvalsCommand } from './cli.ts'
import { approvalSlashCommands, yoloItem } from './commands.ts'
import { createComponents } from './components.ts'
import { type Config, config } from './config.ts'
import { askNothing, relaxations, reportRelaxed, YOLO } from './relaxed.ts'
import { answerRemote, approvalMethods, remotePending } from './remote.ts'
import { Unasked } from './unasked.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const { store, pending, questions, gate } = createComponents(ctx)
    ctx.provide(Approvals, () => ({
      connect: (approver) => pending.connect(approver),
      forward: (sessionId, parent) => pending.forward(sessionId, parent),
      pending: () => pending.pending(),
      request: (asked, about, turn) => questions.request(asked, about, turn),
      answer: (id, choice, by, reason) => pending.answer(id, choice, by, reason),
      askNothing: (sessionId) => askNothing(ctx, pending, sessionId),
      asksNothing: (sessionId) => pending.asksNothing(sessionId),
      askAgain: (sessionId) => pending.askAgain(sessionId),
    }))
    ctx.on(BeforeToolCall, (request) => gate.decide(request))
    ctx.on(AroundToolCall, (request, next) => {
      gate.runs(request)
      return next(request)
    })
    ctx.on(AfterToolCall, (result, request) => gate.note(result, request))
    ctx.add(
      CliCommands,
      approvalsCommand({
        store,
        pending: () => remotePending(ctx),
        answer: (id, choice) => answerRemote(ctx, id, choice),
      }),
    )
    ctx.onStart(() => void ctx.find(Control)?.answer(approvalMethods(pending)))
    const t = createTranslator(ctx)
    const unasked = new Unasked(ctx, pending, t)
    for (const command of approvalSlashCommands(pending, unasked, t)) ctx.add(SlashCommands, command)
    ctx.on(ConversationOpened, ({ conversation }) => unasked.opened(conversation))
    ctx.add(StatusItems, yoloItem(pending))
    ctx.onStart(() => reportRelaxed(ctx, [...relaxations(ctx.config), ...(pending.asksNothing() ? [YOLO] : [])]))
    forgetWithSessions(ctx, {
      sessions: () => store.sessions(),
      forget: (ids) => store.forget(ids),
      until: 'removed',
    })
    ctx.defer(() => store.close())
  },
})
