/** What clients are shown of a turn whose answer has a form. */
import type { TurnEvent } from 'svc/sdk'

/** Of the texts of a turn whose answer has a form only the answer itself is shown, once the turn is over. */
export class AnswerOnly {
  #answer: Extract<TurnEvent, { type: 'message.complete' }> | undefined

  take(event: TurnEvent): readonly TurnEvent[] {
    switch (event.type) {
      case 'message.delta':
      case 'image':
        return []
      case 'message.complete':
        this.#answer = event
        return []
      case 'model.start':
      case 'tool.start':
        this.#answer = undefined
        return [event]
      case 'turn.end':
        // Readers that have seen an event are given those behind it.
        return this.#answer ? [{ ...this.#answer, seq: event.seq }, event] : [event]
      default:
        return [event]
    }
  }
}

/** The same for a turn under way. */
export async function* answerOnly(events: AsyncIterable<TurnEvent>): AsyncGenerator<TurnEvent> {
  const answer = new AnswerOnly()
  for await (const event of events) yield* answer.take(event)
}
