/** How a stand-in calls the webhook of a platform: in order, again until it is taken, and with the faults of deliveries. */
import type { LineFault } from '../../stand-ins.ts'

/** One call as it is made. @since 0.2 */
export interface WebhookCall {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Behind the address, without the question mark. */
  readonly query?: string
}

/** @since 0.2 */
export interface WebhookCallerOptions<Event> {
  /** Where the platform listens, with a query if the service keeps one, unless its address has a path. */
  readonly path: string
  /** The call for an event; `attempt` counts from 0. */
  readonly create: (event: Event, attempt: number) => WebhookCall | Promise<WebhookCall>
  /** The reply to a call that was taken. */
  readonly answered?: (event: Event, body: string) => void
  /** Calls after the first (default: until it is taken). */
  readonly retries?: number
  /** Milliseconds before the next call. */
  readonly pauseMs: (attempt: number) => number
}

/** The calls of one service. Events that happen before the platform listens wait for it. @since 0.2 */
export class WebhookCaller<Event> {
  readonly #options: WebhookCallerOptions<Event>
  #target: string | undefined
  #isClosed = false
  #next: LineFault | undefined
  #late: Event | undefined
  #calls: Promise<void> = Promise.resolve()
  readonly #waiting: Event[] = []

  constructor(options: WebhookCallerOptions<Event>) {
    this.#options = options
  }

  /** `twice` or `late`, for the next event. */
  disturb(fault: LineFault): void {
    this.#next = fault
  }

  calm(): void {
    this.#next = undefined
    this.#release()
  }

  /** The address at which the platform listens now. */
  point(url: string): void {
    this.#target = new URL(url).pathname === '/' ? new URL(this.#options.path, url).href : url
    for (const event of this.#waiting.splice(0)) this.#enqueue(event)
  }

  deliver(event: Event): void {
    const fault = this.#next
    this.#next = undefined
    if (fault === 'late') {
      this.#late = event
      return
    }
    this.#enqueue(event)
    if (fault === 'twice') this.#enqueue(event)
    this.#release()
  }

  close(): void {
    this.#isClosed = true
  }

  #release(): void {
    if (this.#late !== undefined) this.#enqueue(this.#late)
    this.#late = undefined
  }

  #enqueue(event: Event): void {
    if (this.#target === undefined) this.#waiting.push(event)
    else this.#calls = this.#calls.then(() => this.#call(event))
  }

  async #call(event: Event): Promise<void> {
    const { create, answered, retries = Number.POSITIVE_INFINITY, pauseMs } = this.#options
    for (let attempt = 0; attempt <= retries && !this.#isClosed; attempt++) {
      const { headers, body, query } = await create(event, attempt)
      const url = query === undefined ? (this.#target ?? '') : `${this.#target}?${query}`
      const reply = await fetch(url, { method: 'POST', headers, body }).then(
        async (response) => ({ isTaken: response.ok, body: await response.text() }),
        () => undefined,
      )
      if (reply?.isTaken) return answered?.(event, reply.body)
      await new Promise((resolve) => setTimeout(resolve, pauseMs(attempt)))
    }
  }
}
