/** Notes questions and approvals with their answers. */
import { definePlugin } from 'svc/sdk'
import { ApprovalAnswered, QuestionAnswered, QuestionAsked } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(QuestionAsked, ({ sessionId }) => ctx.log.info('asked', { sessionId }))
    ctx.on(QuestionAnswered, ({ by, unanswered }) => ctx.log.info('works', { by, unanswered }))
    ctx.on(ApprovalAnswered, ({ choice, unanswered }) => ctx.log.info('approval', { choice, unanswered }))
  },
})
