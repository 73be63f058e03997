import {
  BeforeToolCall,
  BeforeUserMessage,
  Clock,
  Conversations,
  createTranslator,
  definePlugin,
  Sessions,
  SlashCommands,
  TurnEnded,
} from 'svc/sdk'
import { planCommand } from './commands.ts'
import { planFile } from './file.ts'
import { Planning } from './plan-mode.ts'

export default definePlugin({
  setup(ctx) {
    const planning = new Planning(() => ctx.use(Sessions))
    const t = createTranslator(ctx)
    ctx.add(SlashCommands, planCommand(planning, t))
    ctx.on(BeforeUserMessage, (text, turn) => planning.turnBegins(text, turn))
    ctx.on(BeforeToolCall, ({ tool, turn }) => planning.verdict(tool, turn))
    ctx.on(TurnEnded, async ({ sessionId, turnId, reason }) => {
      const plan = planning.end({ sessionId, turnId })
      if (!plan) return
      const say = (text: string) => ctx.find(Conversations)?.of(sessionId)?.say(text)
      const session = ctx.use(Sessions).open(sessionId)
      const answer = session.messages().findLast(({ role }) => role === 'assistant')
      if (reason !== 'completed' || !answer?.text.trim()) return say(t('There is no plan: nothing was written.'))
      const file = await planFile(session.cwd, plan.task, answer.text, new Date(ctx.use(Clock).now()))
      say(t('The plan is in {file}. Say "do it" to have it carried out.', { file }))
    })
  },
})
