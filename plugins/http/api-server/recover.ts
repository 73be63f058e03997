/** Responses that the end of the server cut off. */
import { Clock, errorCode, type PluginContext, Random, Secrets, Sessions, type TurnEvent } from 'svc/sdk'
import type { Config } from './config.ts'
import { recoverResponse } from './response-object.ts'
import type { ApiStore } from './store.ts'

/** Marks unfinished ones as incomplete. Called before anything is begun. */
export function recover(ctx: PluginContext<Config>, store: ApiStore): void {
  const tools = {
    random: ctx.use(Random),
    mask: (text: string) => ctx.use(Secrets).mask(text),
    now: ctx.use(Clock).now(),
  }
  for (const { scope, ...response } of store.openResponses())
    store.endResponse(scope, recoverResponse(response, readSessionEvents(ctx, response.sessionId), tools), tools.now)
}

function readSessionEvents(ctx: PluginContext<Config>, sessionId: string): readonly TurnEvent[] {
  try {
    return ctx.use(Sessions).open(sessionId).events()
  } catch (error) {
    if (errorCode(error) === 'SESSION_NOT_FOUND') return []
    throw error
  }
}
