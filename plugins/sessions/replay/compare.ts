/** Where a replay left the track. */
import type { Message, TurnEvent } from 'svc/sdk'
import { rewriteAsRecorded } from './older.ts'
import type { Run } from './run.ts'

/** The first thing that was not the same. */
export interface Difference {
  /** `event` counts within the turn from 0; `message` within its messages. */
  readonly at: 'event' | 'message'
  readonly index: number
  readonly recorded: unknown
  readonly replayed: unknown
  /** What it means, for people. */
  readonly meaning: string
}

const deltas: ReadonlySet<string> = new Set(['message.delta', 'reasoning.delta', 'tool.progress'])

/** Compares the JSON text of every event and message. Of a trimmed turn, events without deltas and places. */
export function compare(run: Run, events: readonly TurnEvent[], messages: readonly Message[]): Difference | undefined {
  const kept = run.isTrimmed ? events.filter(({ type }) => !deltas.has(type)) : events
  const recorded = run.isTrimmed ? run.events.filter(({ type }) => !deltas.has(type)) : run.events
  const text = (event: TurnEvent | undefined) => {
    if (!event || !run.isTrimmed) return JSON.stringify(event)
    return JSON.stringify({ ...event, seq: 0 })
  }
  for (let index = 0; index < Math.max(kept.length, recorded.length); index++)
    if (text(kept[index]) !== text(recorded[index])) {
      const [before, after] = [recorded[index], kept[index]]
      if (text(rewriteAsRecorded(before, after)) === text(before)) continue
      return { at: 'event', index, recorded: before, replayed: after, meaning: describeDifference(before, after) }
    }
  for (let index = 0; index < Math.max(messages.length, run.messages.length); index++) {
    const [before, after] = [run.messages[index]?.message, messages[index]]
    if (JSON.stringify(before) !== JSON.stringify(after))
      return {
        at: 'message',
        index,
        recorded: before,
        replayed: after,
        meaning: 'the conversation came out differently',
      }
  }
  return undefined
}

function describeDifference(before: TurnEvent | undefined, after: TurnEvent | undefined): string {
  if (!before) return 'the replay went on where the recorded turn had ended'
  if (!after) return 'the replay ended where the recorded turn went on'
  if (before.type !== after.type) return `${before.type} was recorded, ${after.type} came`
  if (before.type === 'model.start' && after.type === 'model.start' && before.digest !== after.digest)
    return 'the model was asked something else: the prompt, the tools or the settings are not the same any more'
  return `${before.type} came with other contents`
}
