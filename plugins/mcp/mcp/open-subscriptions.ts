/** Subscriptions to resources, with the moments in which sessions read of changes and end. */
import { Agent, BeforeUserMessage, errorCode, type PluginContext, type Session, Sessions } from 'svc/sdk'
import { SessionsRemoved } from 'svc/sdk/hooks'
import type { Config } from './config.ts'
import { toToolName } from './names.ts'
import { Subscriptions } from './subscriptions.ts'

export function openSubscriptions(ctx: PluginContext<Config>): Subscriptions {
  const subscriptions = new Subscriptions({
    log: ctx.log,
    session: (id) => openSession(ctx, id),
    agent: () => ctx.find(Agent),
    toolName: (server) => toToolName(server, 'read_resource'),
  })
  ctx.on(BeforeUserMessage, (text, { sessionId }) => subscriptions.before(text, sessionId))
  ctx.on(SessionsRemoved, ({ sessions }) => subscriptions.forget(sessions.map(({ id }) => id)))
  return subscriptions
}

/** Undefined where the session was removed meanwhile. */
function openSession(ctx: PluginContext<Config>, id: string): Session | undefined {
  try {
    return ctx.find(Sessions)?.open(id)
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return undefined
    throw error
  }
}
