/**
 * Threads that answers begin (discord.com/developers/docs/resources/channel, "Start Thread from Message"). Such a thread has the id
 * of the message that it begins with, so it can be named before it is there; it is made when something is first sent to it.
 */
import type { InboundMessage } from 'svc/sdk/platform'
import type { DiscordApi } from './api.ts'

const MAX_NAME = 80
const ARCHIVE_MINUTES = 1440
/** Threads that are still to be created; older ones get a generic name. */
const MAX_PENDING = 500

/** Where threads are begun. */
export interface ThreadRules {
  readonly auto_thread: boolean
  readonly no_thread_channels: readonly string[]
  readonly free_response_chats: readonly string[]
}

export class Threads {
  readonly #api: DiscordApi
  readonly #rules: ThreadRules
  readonly #names: Map<string, string> = new Map()
  /** Channels of a kind that has no threads, or in which the bot may begin none. */
  readonly #without: Set<string> = new Set()

  constructor(api: DiscordApi, rules: ThreadRules) {
    this.#api = api
    this.#rules = rules
  }

  /** The message, in the thread in which it is to be answered. */
  placed(inbound: InboundMessage): InboundMessage {
    const { chatId, chatKind, threadId, messageId, text, isMention, press } = inbound
    const { auto_thread, no_thread_channels, free_response_chats } = this.#rules
    const isOut = [...no_thread_channels, ...free_response_chats].includes(chatId) || this.#without.has(chatId)
    const begins = auto_thread && !isOut && chatKind === 'channel' && isMention && threadId === undefined
    if (!begins || press !== undefined || inbound.isBot || text.startsWith('/')) return inbound
    this.#names.set(messageId, createThreadName(text))
    const [oldest] = this.#names.size > MAX_PENDING ? this.#names.keys() : []
    if (oldest !== undefined) this.#names.delete(oldest)
    return { ...inbound, threadId: messageId }
  }

  /** Makes the thread unless it is there. Throws what the API says; `chatId` gets no threads after a refusal. */
  async make(chatId: string, threadId: string): Promise<void> {
    const name = this.#names.get(threadId)
    if (name === undefined) return
    await this.begin(chatId, threadId, name)
    this.#names.delete(threadId)
  }

  /** Whether there is a thread now for a message of the channel, also one that another process named. */
  async begin(chatId: string, messageId: string, name = 'svc'): Promise<void> {
    const path = `/channels/${chatId}/messages/${messageId}/threads`
    const json = { name, auto_archive_duration: ARCHIVE_MINUTES }
    await this.#api
      .tell({ method: 'POST', path, json, what: 'begin a thread', fine: [THERE_ALREADY] })
      .catch((error: unknown) => {
        this.#without.add(chatId)
        throw error
      })
  }
}

/** "A thread has already been created for this message". */
const THERE_ALREADY = 160004

function createThreadName(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return [...line.trim()].slice(0, MAX_NAME).join('') || 'svc'
}
