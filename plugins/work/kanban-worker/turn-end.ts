/** What the end of a turn means for the worker process: its exit code, or that its task is blocked. */
import type { TurnEvent } from 'svc/sdk'
import { RATE_LIMIT_EXIT } from 'svc/sdk/kanban'
import type { ModelFailure } from 'svc/sdk/provider'

/** Kinds of failures that pass. */
const PASSING: ReadonlySet<string> = new Set(['rate-limit', 'overloaded'])
/** Kinds and codes for which trying again cannot help. */
const LASTING: ReadonlySet<string> = new Set(['auth', 'billing', 'model-not-found', 'picture-refused'])
const LASTING_CODES: ReadonlySet<string> = new Set(['MODEL_UNAVAILABLE', 'BUDGET_EXCEEDED', 'TURN_REFUSED'])

/** Collects what matters of the events of a turn. */
export class TurnWatch {
  failure: ModelFailure | undefined
  error: { readonly code: string; readonly message: string } | undefined
  reason: Extract<TurnEvent, { type: 'turn.end' }>['reason'] | undefined

  take(event: TurnEvent): void {
    if (event.type === 'model.end') this.failure = event.failure
    if (event.type === 'error') this.error = { code: event.code, message: event.message }
    if (event.type === 'turn.end') this.reason = event.reason
  }

  /** `block`: a person has to do something; why. */
  judge(): { readonly exitCode: number; readonly error?: string } | { readonly block: string } {
    const message = this.error?.message ?? this.failure?.message ?? 'The turn failed.'
    switch (this.reason) {
      case 'completed':
        return { exitCode: 0 }
      case 'max-iterations':
        return { exitCode: 1, error: 'It made all the model calls that it may make, and was not done.' }
      case 'interrupted':
        return { exitCode: 1, error: 'It was told to stop.' }
      default:
        if (this.failure && PASSING.has(this.failure.kind)) return { exitCode: RATE_LIMIT_EXIT, error: message }
        if (LASTING.has(this.failure?.kind ?? '') || LASTING_CODES.has(this.error?.code ?? ''))
          return { block: message }
        return { exitCode: 1, error: message }
    }
  }
}
