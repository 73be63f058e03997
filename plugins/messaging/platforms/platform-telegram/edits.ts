/**
 * Edits of what people wrote (https://core.telegram.org/bots/api#update, `edited_message`). Telegram also sends an edit when only a
 * preview, a position or a button has changed, so the texts that were read before are remembered.
 */
import type { InboundMessage } from 'svc/sdk/platform'

const MAX_REMEMBERED = 1000

/** What was read before. It is empty after a start: edits of earlier messages are not read. */
export class EditMemory {
  readonly #texts: Map<string, string> = new Map()

  /** A message that the gateway has. */
  remember({ chatId, messageId, text }: InboundMessage): void {
    const key = `${chatId}/${readMessageNumber(messageId)}`
    this.#texts.delete(key)
    this.#texts.set(key, text)
    const [oldest] = this.#texts.keys()
    if (this.#texts.size > MAX_REMEMBERED && oldest !== undefined) this.#texts.delete(oldest)
  }

  /**
   * An edited message as one for the gateway, with the old text as its quote. Undefined when it is too late for it, the words are
   * the same or were not read before, or it is a command now: an edit runs nothing.
   */
  toInbound(
    message: InboundMessage,
    { updateId, editedAt, minutes }: { readonly updateId: number; readonly editedAt: number; readonly minutes: number },
  ): InboundMessage | undefined {
    const { chatId, messageId, text, at = 0, files: _, ...rest } = message
    const before = this.#texts.get(`${chatId}/${messageId}`)
    const isLate = editedAt - at > minutes * 60_000
    if (before === undefined || before === text || isLate || text === '' || text.startsWith('/')) return undefined
    return {
      ...rest,
      chatId,
      messageId: `${messageId}-edit-${updateId}`,
      text: `Edited: ${text}`,
      quote: { messageId, text: before },
      at: editedAt,
    }
  }

  /** What the message says now is what the next edit is compared with. */
  rememberEdit({ chatId, messageId, text }: InboundMessage): void {
    this.remember({ platform: 'telegram', chatId, userId: '', messageId, text: text.replace(/^Edited: /, '') })
  }
}

/** The number of a message of Telegram, also behind the id of its edit; undefined for a press of a button. */
export function readMessageNumber(messageId: string): number | undefined {
  const [, digits] = /^(\d+)(?:-edit-\d+)?$/.exec(messageId) ?? []
  return digits === undefined ? undefined : Number(digits)
}
