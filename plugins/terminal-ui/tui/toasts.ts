/** Short texts over the conversation that disappear after a while. */
import type { ConversationNotice } from 'svc/sdk/sessions'
import type { NamedTimers } from './named-timers.ts'

const SHOWN_MS = 4000
const MAX = 3

export interface Toast {
  readonly text: string
  readonly tone: ConversationNotice['tone']
}

export class Toasts {
  readonly #timers: NamedTimers
  readonly #changed: () => void
  #shown: readonly Toast[] = []
  #count = 0

  constructor(timers: NamedTimers, changed: () => void) {
    this.#timers = timers
    this.#changed = changed
  }

  get all(): readonly Toast[] {
    return this.#shown
  }

  /** The function that is returned removes the text before its time. */
  add(text: string, tone: ConversationNotice['tone'], ms: number = SHOWN_MS): () => void {
    const toast = { text, tone }
    const remove = () => {
      this.#shown = this.#shown.filter((each) => each !== toast)
      this.#changed()
    }
    this.#shown = [...this.#shown, toast].slice(-MAX)
    this.#timers.after(`toast ${++this.#count}`, ms, remove)
    this.#changed()
    return remove
  }
}
