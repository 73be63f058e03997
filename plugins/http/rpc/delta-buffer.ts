/** Texts that come in small pieces, sent as fewer events: a program redraws no faster than a screen. */
import type { Clock } from 'svc/sdk'

/** Milliseconds: two frames of a screen. */
const WINDOW_MS = 33
/** Each event is sent to every viewer, and with this many the process has to answer other requests, too. */
const CROWD = 8

/** Keeps the order: what is not a text of the same kind sends what waits first. */
export class DeltaBuffer {
  readonly #clock: () => Clock
  readonly #emit: (type: string, payload: object) => void
  readonly #countViewers: () => number
  #waiting: { readonly type: string; text: string; payload: object } | undefined
  #cancel: (() => void) | undefined

  constructor(clock: () => Clock, emit: (type: string, payload: object) => void, countViewers: () => number) {
    this.#clock = clock
    this.#emit = emit
    this.#countViewers = countViewers
  }

  emit(type: string, payload: object): void {
    const { text } = payload as { readonly text?: string }
    const isDelta = type.endsWith('.delta') && text !== undefined
    if (isDelta && this.#waiting?.type === type) {
      this.#waiting.text += text
      this.#waiting.payload = payload
      return
    }
    this.flush()
    if (!isDelta) {
      this.#emit(type, payload)
      return
    }
    this.#waiting = { type, text, payload }
    const ms = this.#countViewers() < CROWD ? WINDOW_MS : WINDOW_MS * 2
    this.#cancel = this.#clock().after(ms, () => this.flush(), { background: true })
  }

  flush(): void {
    const waiting = this.#waiting
    this.#cancel?.()
    this.#waiting = undefined
    if (waiting) this.#emit(waiting.type, { ...waiting.payload, text: waiting.text })
  }
}
