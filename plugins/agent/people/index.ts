/** Wires the questions that wait for people, and the persons who are asked. */
import { Clock, definePlugin, type PluginContext, Questions } from 'svc/sdk'
import { QuestionAnswered, QuestionAsked } from 'svc/sdk/hooks'
import { People } from 'svc/sdk/host'
import { PendingQuestions } from './pending-questions.ts'
import { SessionPeople } from './people.ts'

export default definePlugin({
  setup(ctx) {
    const make = ({ use, log, call }: PluginContext<undefined>) =>
      new PendingQuestions({
        clock: () => use(Clock),
        log,
        asked: (question) => void call(QuestionAsked, question),
        answered: (answered) => void call(QuestionAnswered, answered),
      })
    // Turns that wait for an answer and front ends that show questions outlive a reload.
    const pending = ctx.keep('desk', make, (open) => open.close())
    ctx.provide(Questions, () => pending)
    ctx.provide(People, () => new SessionPeople(ctx, pending))
  },
})
