/**
 * Answers in the reply to the call that brought the question. WeChat waits five seconds for one and then calls again, twice, with the
 * same message; the reply is the same for each of its calls, and people see it once.
 */
import type { Clock } from 'svc/sdk'

/** An answer that left in a reply. */
interface OpenCall {
  readonly messageId: string
  resolve(text: string): void
}

/** WeChat gives up a call after five seconds. */
export const WAIT_MS = 4500
const CALLS = 3
/** So many messages are remembered. */
const MAX_KNOWN = 1000

export class PassiveReplies {
  /** By chat. */
  readonly #open: Map<string, OpenCall> = new Map()
  /** By message: what was said, and how often it was called for. */
  readonly #known: Map<string, { calls: number; text?: string }> = new Map()

  /** The answer to a message, if there is one within the time of a call; undefined otherwise. */
  async wait(
    { chatId, messageId }: { readonly chatId: string; readonly messageId: string },
    { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
  ): Promise<string | undefined> {
    const known = this.#remember(messageId)
    known.calls += 1
    if (known.text !== undefined) return known.text
    const done = new AbortController()
    let own: OpenCall | undefined
    const answered = new Promise<string>((resolve) => {
      own = { messageId, resolve }
      this.#open.set(chatId, own)
    })
    const waited = clock.sleep(WAIT_MS, AbortSignal.any([signal, done.signal])).then(
      () => undefined,
      () => undefined,
    )
    const text = await Promise.race([answered, waited])
    done.abort()
    if (this.#open.get(chatId) === own) this.#open.delete(chatId)
    return text
  }

  /** Whether WeChat calls for this message once more. */
  comesAgain(messageId: string): boolean {
    return (this.#known.get(messageId)?.calls ?? 0) < CALLS
  }

  /** The message in whose reply the text leaves; undefined if no call is open. `commit` is called before it does. */
  answer(chatId: string, text: string, commit: (() => void) | undefined): string | undefined {
    const call = this.#open.get(chatId)
    if (!call) return undefined
    commit?.()
    this.#open.delete(chatId)
    this.#remember(call.messageId).text = text
    call.resolve(text)
    return call.messageId
  }

  #remember(messageId: string): { calls: number; text?: string } {
    const known = this.#known.get(messageId) ?? { calls: 0 }
    this.#known.set(messageId, known)
    const [oldest] = this.#known.size > MAX_KNOWN ? this.#known.keys() : []
    if (oldest !== undefined) this.#known.delete(oldest)
    return known
  }
}
