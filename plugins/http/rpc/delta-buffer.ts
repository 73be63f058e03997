/** Texts that come in small pieces, sent as fewer events: a program redraws no faster than a screen. */
import type { Clock } from 'svc/sdk'

/** Milliseconds: two frames of a screen. */
const WINDOW_MS = 33

/** Keeps the order: what is not a text of the same kind sends what waits first. */
export class DeltaBuffer {
  readonly #clock: () => Clock
  readonly #emit: (type: string, payload: object) => void
  #waiting: { readonly type: string; text: string; payload: object } | undefined
  #cancel: (() => void) | undefined

  constructor(clock: () => Clock, emit: (type: string, payload: object) => void) {
    this.#clock = clock
    this.#emit = emit
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
    this.#cancel = this.#clock().after(WINDOW_MS, () => this.flush(), { background: true })
  }

  flush(): void {
    const waiting = this.#waiting
    this.#cancel?.()
    this.#waiting = undefined
    if (waiting) this.#emit(waiting.type, { ...waiting.payload, text: waiting.text })
  }
}
