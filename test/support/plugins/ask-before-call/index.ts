/** Asks a person before a call of the tool `double`. */
import { BeforeToolCall, definePlugin } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.on(BeforeToolCall, async ({ name, input, turn }) => {
      if (name !== 'double' || input.word !== 'twice') return undefined
      ctx.log.info('works')
      const isAgreed = await turn.person.confirm('Double this word?', { timeoutMs: 60_000 })
      return isAgreed ? undefined : { decision: 'deny', reason: 'no person agreed to it' }
    })
  },
})
