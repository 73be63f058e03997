/** Chats of the stand-in for Telegram, and what is refused in one. */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import { refusal } from './answers.ts'
import { isWhole } from './rules.ts'

/** A person who has written to the bot before: it may not write to others first. */
const FRIEND = '1001'

export class TelegramPlaces {
  /** Those that have written. */
  readonly chats: Set<string> = new Set([FRIEND])
  /** Chat and topic. */
  readonly topics: Set<string> = new Set()
  readonly #moved: Map<string, string> = new Map()

  move(from: string, to: string): void {
    this.#moved.set(from, to)
    this.chats.add(to)
  }

  /** Why nothing can be sent there. */
  wrong({ chat_id: chat, message_thread_id: thread }: Readonly<Record<string, unknown>>): ServiceAnswer | undefined {
    const chatId = String(chat)
    const to = this.#moved.get(chatId)
    if (to) {
      const parameters = { migrate_to_chat_id: Number(to) }
      return refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', parameters)
    }
    if (!this.chats.has(chatId)) return refusal(400, 'Bad Request: chat not found')
    if (thread === undefined) return undefined
    if (!isWhole(thread)) return refusal(400, 'Bad Request: invalid message thread ID specified')
    return this.topics.has(`${chatId} ${thread}`) ? undefined : refusal(400, 'Bad Request: message thread not found')
  }
}
