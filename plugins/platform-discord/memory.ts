/** What outlives a connection: the session that may be resumed, and the events that were not taken yet. */

/** An event of the gateway. `seq` is its place in the session, 0 for one of a session that is gone. */
export interface GatewayEvent {
  readonly type: string
  readonly data: unknown
  readonly seq: number
}

/** The most events that may wait. */
const MOST_WAITING = 1000

/** Kept by the platform from one connection to the next. */
export class Memory {
  sessionId: string | undefined
  /** Where the session is resumed. */
  url: string | undefined
  #last = 0
  readonly #open: Set<GatewayEvent> = new Set()
  #awaited: readonly GatewayEvent[] = []

  /** Where the session is resumed: behind the last event before the first one that was not taken. */
  get resumeAt(): number {
    const open = [...this.#open].map(({ seq }) => seq).filter((seq) => seq > 0)
    return open.length > 0 ? Math.min(...open) - 1 : this.#last
  }

  get isFull(): boolean {
    return this.#open.size >= MOST_WAITING
  }

  /** An event arrived that needs nothing more. */
  pass(seq: number): void {
    this.#last = Math.max(this.#last, seq)
  }

  /** An event arrived that has to be taken. */
  begin(event: GatewayEvent): void {
    this.pass(event.seq)
    this.#open.add(event)
  }

  taken(event: GatewayEvent): void {
    this.#open.delete(event)
  }

  /** The session is about to be resumed: what was not taken will come again. */
  resuming(): void {
    this.#awaited = [...this.#open]
  }

  /** It came again. */
  resumed(): void {
    for (const event of this.#awaited) if (event.seq > 0) this.#open.delete(event)
    this.#awaited = []
  }

  /** The session is gone. */
  forget(): void {
    this.#awaited = []
    this.sessionId = undefined
    this.url = undefined
    const left = [...this.#open].map((event) => ({ ...event, seq: 0 }))
    this.#open.clear()
    for (const event of left) this.#open.add(event)
    this.#last = 0
  }

  /** Events of sessions that are gone: nobody sends them again. */
  leftOver(): readonly GatewayEvent[] {
    return [...this.#open].filter(({ seq }) => seq === 0)
  }
}
