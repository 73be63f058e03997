/** Runs the hooks of an event, and tells the person what they have to say. */
import { type PluginContext, Sessions } from 'svc/sdk'
import type { Outcome } from './answer.ts'
import type { Config } from './config.ts'
import type { EventName } from './events.ts'
import type { HookRunner } from './runner.ts'

/** Reports what hooks have to say to a person. Does not throw. */
export type Say = (sessionId: string, text: string) => void

/** An empty `sessionId` is no session: then the hooks of the folder of the process run. */
export type Fire = (
  event: EventName,
  sessionId: string,
  fields: Readonly<Record<string, unknown>>,
  options?: { readonly signal?: AbortSignal; readonly subjects?: readonly string[] },
) => Promise<Outcome>

export function createFire(ctx: PluginContext<Config>, runner: HookRunner, say: Say): Fire {
  return async (event, sessionId, fields, { signal = ctx.signal, subjects = [] } = {}) => {
    const cwd = sessionId === '' ? process.cwd() : ctx.use(Sessions).open(sessionId).cwd
    const outcome = await runner.fire({ event, sessionId, cwd, subjects, signal, input: () => fields })
    for (const message of outcome.messages) say(sessionId, message)
    return outcome
  }
}
