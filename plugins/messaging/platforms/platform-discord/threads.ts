/**
 * Threads that answers begin (discord.com/developers/docs/resources/channel, "Start Thread from Message"). Such a thread has the id
 * of the message that it begins with, so it can be named before it is there; it is made when something is first sent to it.
 */
import { tryParseJson } from 'svc/sdk'
import { setBounded } from 'svc/sdk/kit/state'
import { classifyDeliveryError, type InboundMessage, type ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'
import type { DiscordApi } from './api.ts'

const MAX_NAME = 80
const ARCHIVE_MINUTES = 1440
/** Threads that are still to be made; of older ones the channel takes the answer. */
const MAX_PENDING = 100
const kept = z.array(z.tuple([z.string(), z.string()]))

/** Where threads are begun. */
export interface ThreadRules {
  readonly auto_thread: boolean
  readonly no_thread_channels: readonly string[]
  readonly free_response_chats: readonly string[]
}

export class Threads {
  readonly #api: DiscordApi
  readonly #rules: ThreadRules
  /** Of threads that are still to be made. */
  #names: Map<string, string> = new Map()
  #cursor: ReadCursor | undefined
  /** Channels of a kind that has no threads, or in which the bot may begin none. */
  readonly #without: Set<string> = new Set()

  constructor(api: DiscordApi, rules: ThreadRules) {
    this.#api = api
    this.#rules = rules
  }

  /** Takes over what an earlier process named and did not make, and stores there what this one names. */
  restore(cursor: ReadCursor): void {
    this.#cursor = cursor
    this.#names = new Map(kept.safeParse(tryParseJson(cursor.get() ?? '[]')?.value).data)
  }

  /** The message, in the thread in which it is to be answered. */
  placed(inbound: InboundMessage): InboundMessage {
    const { chatId, chatKind, threadId, messageId, text, isMention, press } = inbound
    const { auto_thread, no_thread_channels, free_response_chats } = this.#rules
    const isOut = [...no_thread_channels, ...free_response_chats].includes(chatId) || this.#without.has(chatId)
    const begins = auto_thread && !isOut && chatKind === 'channel' && isMention && threadId === undefined
    if (!begins || press !== undefined || inbound.isBot || text.startsWith('/')) return inbound
    setBounded(this.#names, messageId, createThreadName(text), MAX_PENDING)
    this.#save()
    return { ...inbound, threadId: messageId }
  }

  /** The message is not answered. */
  forget(messageId: string): void {
    if (this.#names.delete(messageId)) this.#save()
  }

  /** Makes the thread unless it is there. Throws what the API says; `chatId` gets no threads after a refusal. */
  async make(chatId: string, threadId: string): Promise<void> {
    const name = this.#names.get(threadId)
    if (name === undefined) return
    const path = `/channels/${chatId}/messages/${threadId}/threads`
    const json = { name, auto_archive_duration: ARCHIVE_MINUTES }
    try {
      await this.#api.tell({ method: 'POST', path, json, what: 'begin a thread', fine: [THERE_ALREADY] })
    } catch (error) {
      if (classifyDeliveryError(error).kind !== 'refused') throw error
      this.#without.add(chatId)
      this.forget(threadId)
      throw error
    }
    this.forget(threadId)
  }

  #save(): void {
    this.#cursor?.set(JSON.stringify([...this.#names]))
  }
}

/** "A thread has already been created for this message". */
const THERE_ALREADY = 160004

function createThreadName(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return [...line.trim()].slice(0, MAX_NAME).join('') || 'svc'
}
