/** What `Agent.run` returns: the events of a turn, and when it is awaited its outcome. */
import { type TurnEvent, TurnOutcome, type TurnRun } from 'svc/sdk'

/** It also has the methods of the generator, which plugins called before it could be awaited. */
export function createTurnRun(events: AsyncGenerator<TurnEvent>): TurnRun & AsyncIterator<TurnEvent> {
  let outcome: Promise<TurnOutcome> | undefined
  return {
    // The generator cannot be awaited itself, so that an asynchronous function may return it.
    [Symbol.asyncIterator]: () => events,
    next: () => events.next(),
    return: (value?: unknown) => events.return(value),
    throw: (error?: unknown) => events.throw(error),
    // biome-ignore lint/suspicious/noThenProperty: it is meant to be awaited
    then: (resolve, reject) => {
      outcome ??= readOutcome(events)
      return outcome.then(resolve, reject)
    },
  }
}

async function readOutcome(events: AsyncIterable<TurnEvent>): Promise<TurnOutcome> {
  const outcome = new TurnOutcome()
  for await (const event of events) outcome.take(event)
  return outcome
}
