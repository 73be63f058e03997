/** A request that a person stopped: it is closed, so that it is not read together with the next one. */
import { type PluginContext, Sessions } from 'svc/sdk'

/** Stands where a stopped request has no answer: the next one is read alone. */
const STOPPED = '(no answer: this request was stopped; do not take it up again unasked)'

/** Answers the last message of the session, if it has no answer. Never throws. */
export function closeRequest(ctx: PluginContext<undefined>, sessionId: string, turnId: string): void {
  try {
    const session = ctx.use(Sessions).open(sessionId)
    const last = session.messages().at(-1)
    if (last?.role === 'user' || last?.role === 'tool')
      session.record({ turnId, events: [], messages: [{ role: 'assistant', text: STOPPED }], sync: true })
  } catch (error) {
    ctx.log.warn('a stopped request could not be closed', { error, sessionId })
  }
}
