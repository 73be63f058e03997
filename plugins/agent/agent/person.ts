/** The person of a turn. */
import type { Person, PluginContext, TurnEventData } from 'svc/sdk'
import { People, type PersonSource, unreachablePerson } from 'svc/sdk/host'
import type { Config } from './config.ts'
import type { Turn } from './turn.ts'

/** Of a turn that does not run yet, or any more: its questions are not part of its stream. */
export function findPerson(ctx: PluginContext<Config>, sessionId: string, source: PersonSource): Person {
  return ctx.find(People)?.of(sessionId, source) ?? unreachablePerson
}

/** Of a turn under way; questions and answers are recorded before they are shown. */
export function findTurnPerson(ctx: PluginContext<Config>, turn: Turn): Person {
  const { turnId, signal } = turn
  const emit = (event: TurnEventData) => turn.record([event], [], 'beforeReturn')
  return findPerson(ctx, turn.sessionId, { turn: { turnId, signal, emit } })
}
