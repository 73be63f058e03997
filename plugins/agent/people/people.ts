/** The persons of sessions, found when they are asked. */
import type { Person, PluginContext, Registration } from 'svc/sdk'
import type { People, PersonSource } from 'svc/sdk/host'
import type { PendingQuestions } from './pending-questions.ts'
import { SessionPerson } from './person.ts'

/** Contract: `People` of the SDK. */
export class SessionPeople implements People {
  readonly #ctx: PluginContext<undefined>
  readonly #pending: PendingQuestions

  constructor(ctx: PluginContext<undefined>, pending: PendingQuestions) {
    this.#ctx = ctx
    this.#pending = pending
  }

  of(sessionId: string, source: PersonSource = {}): Person {
    return new SessionPerson(this.#ctx, { pending: this.#pending, sessionId, source })
  }

  forward(sessionId: string, parent: () => string): Registration {
    return this.#pending.forward(sessionId, parent)
  }
}
