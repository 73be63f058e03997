/** How fast messages may leave: as often as a platform allows, in one chat and in all. */
import type { PlatformLimits, RateLimit } from 'svc/sdk/platform'

/** Moments of the last sends, oldest first. */
class Window {
  readonly #rate: RateLimit
  #moments: number[] = []

  constructor(rate: RateLimit) {
    this.#rate = rate
  }

  /** Milliseconds until one more is allowed. */
  wait(now: number): number {
    this.#moments = this.#moments.filter((moment) => moment > now - this.#rate.perMs)
    const first = this.#moments[this.#moments.length - this.#rate.count]
    return first === undefined ? 0 : first + this.#rate.perMs - now
  }

  take(now: number): void {
    this.#moments.push(now)
  }

  get isEmpty(): boolean {
    return this.#moments.length === 0
  }
}

/** Chats that were not written to are forgotten when there are more. */
const MAX_CHATS = 1000

export class Pacer {
  readonly #chat: RateLimit | undefined
  readonly #all: Window | undefined
  readonly #chats: Map<string, Window> = new Map()

  constructor({ rate }: PlatformLimits) {
    this.#chat = rate?.chat
    this.#all = rate?.all && new Window(rate.all)
  }

  /** Milliseconds until a message may go to the chat. */
  wait(chat: string, now: number): number {
    return Math.max(this.#all?.wait(now) ?? 0, this.#chats.get(chat)?.wait(now) ?? 0)
  }

  take(chat: string, now: number): void {
    this.#all?.take(now)
    if (!this.#chat) return
    const window = this.#chats.get(chat) ?? new Window(this.#chat)
    window.take(now)
    this.#chats.set(chat, window)
    if (this.#chats.size > MAX_CHATS) this.#forget(now)
  }

  #forget(now: number): void {
    for (const [chat, window] of this.#chats) {
      window.wait(now)
      if (window.isEmpty) this.#chats.delete(chat)
    }
  }
}
