/** Presses of buttons that wait to be answered (https://core.telegram.org/bots/api#answercallbackquery). */
import type { ServiceAnswer, StandInNotice } from 'svc/sdk/kit/stand-in'
import { refusal } from './answers.ts'

const MAX_TEXT = 200

export class TelegramPresses {
  /** Presses whose buttons no longer look busy. */
  readonly answered: string[] = []
  readonly notices: StandInNotice[] = []
  readonly #waiting: Map<string, string> = new Map()

  /** An update may be a press. */
  note({ callback_query: query }: { readonly callback_query?: unknown }): void {
    const { id, from } = (query ?? {}) as { readonly id?: unknown; readonly from?: { readonly id?: unknown } }
    if (id !== undefined) this.#waiting.set(String(id), String(from?.id))
  }

  /** Once, and with at most 200 characters. */
  answer({ callback_query_id: id, text = '' }: Readonly<Record<string, unknown>>): ServiceAnswer {
    const userId = this.#waiting.get(String(id))
    if (userId === undefined)
      return refusal(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid')
    if (String(text).length > MAX_TEXT) return refusal(400, 'Bad Request: MESSAGE_TOO_LONG')
    this.#waiting.delete(String(id))
    this.answered.push(String(id))
    if (text) this.notices.push({ userId, text: String(text) })
    return { body: { ok: true, result: true } }
  }
}
