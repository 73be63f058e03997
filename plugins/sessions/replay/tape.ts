/** A recorded turn as a tape: replayed code reads from it what happened next, in order. */
import type { TurnEvent, TurnEventData } from 'svc/sdk'

type Kind = TurnEventData['type']

/** Written by the agent itself; everything else comes from tools and gates. */
const ofAgent: ReadonlySet<Kind> = new Set([
  'turn.start',
  'turn.end',
  'model.start',
  'model.end',
  'message.delta',
  'reasoning.delta',
  'message.complete',
  'usage',
  'image',
  'error',
  'compressed',
  'steer',
  'tool.running',
])

/** What is recorded between the end of an answer and the words that were taken in there. */
const BESIDE_STEERS: ReadonlySet<Kind> = new Set(['steer', 'message.complete', 'model.end', 'usage', 'error'])

export class Tape {
  readonly events: readonly TurnEvent[]
  #position = 0
  #isStopped = false
  #wake: (() => void)[] = []

  constructor(events: readonly TurnEvent[]) {
    this.events = events
  }

  /** So many events were produced by the replay. */
  produced(count: number): void {
    this.#position = count
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** Resolves when all events before this one have been produced. */
  async reached(index: number, signal: AbortSignal): Promise<void> {
    while (this.#position < index && !signal.aborted && !this.#isStopped) {
      let wake = () => {}
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      this.#wake.push(wake)
      signal.addEventListener('abort', wake, { once: true })
      await woken
      signal.removeEventListener('abort', wake)
    }
  }

  /** Ends all waiting, for good. */
  stop(): void {
    this.#isStopped = true
    for (const wake of this.#wake.splice(0)) wake()
  }

  indexOf(type: 'tool.running' | 'tool.complete', callId: string): number {
    return this.events.findIndex((event) => event.type === type && event.callId === callId)
  }

  /** Events between two places that a tool or a gate put into the stream while it was at this call. */
  asides(from: number, to: number, callId: string): { readonly index: number; readonly event: TurnEvent }[] {
    return this.events
      .slice(from, Math.max(from, to))
      .map((event, offset) => ({ index: from + offset, event }))
      .filter(({ index, event }) => this.#isAside(event, index) && this.#findOwner(index) === callId)
  }

  /** Said by the user, and taken in at this place: before the next call, or behind the error that ended the turn. */
  steersAt(index: number): readonly string[] {
    const next = this.events.slice(index + 1)
    const until = next.findIndex(({ type }) => !BESIDE_STEERS.has(type))
    return next.slice(0, until < 0 ? undefined : until).flatMap((event) => (event.type === 'steer' ? [event.text] : []))
  }

  #isAside(event: TurnEvent, index: number): boolean {
    if (event.type === 'notice') return this.#isDuringCall(index)
    if (event.type === 'tool.start') return event.parent !== undefined
    if (event.type === 'tool.complete') return this.#isNested(event.callId)
    if (event.type === 'tool.running') return this.#isNested(event.callId)
    return !ofAgent.has(event.type)
  }

  /** The agent has something to say between calls; what is said during one comes of a plugin. */
  #isDuringCall(index: number): boolean {
    return this.events.slice(0, index).some((event) => {
      return event.type === 'tool.start' && this.indexOf('tool.complete', event.callId) > index
    })
  }

  #isNested(callId: string): boolean {
    return this.events.some((event) => event.type === 'tool.start' && event.callId === callId && event.parent)
  }

  /** Some events name their call; the others belong to the call that came on next. */
  #findOwner(index: number): string | undefined {
    const event = this.events[index]
    if (event && 'callId' in event) return this.#outermost(event.callId)
    const next = this.events
      .slice(index)
      .find(
        (other) => (other.type === 'tool.running' || other.type === 'tool.complete') && !this.#isNested(other.callId),
      )
    return next && 'callId' in next ? next.callId : undefined
  }

  #outermost(callId: string): string {
    const start = this.events.find((event) => event.type === 'tool.start' && event.callId === callId)
    return start?.type === 'tool.start' && start.parent ? this.#outermost(start.parent) : callId
  }
}
