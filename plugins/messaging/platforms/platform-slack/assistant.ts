/**
 * Slack's views for assistants (docs.slack.dev/ai/developing-agents): prompts that are suggested when one is opened, the title of a
 * thread, and the channel that its person is looking at.
 */
import { errorMessage, type Logger } from 'svc/sdk'
import { setBounded } from 'svc/sdk/kit/state'
import type { InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'
import type { SlackApi } from './api.ts'
import { getThreadKey } from './served-chats.ts'

/** Threads that are remembered; of older ones the title stays as it is. */
const MAX_THREADS = 500
const TITLE_LENGTH = 75

const place = z.object({
  event: z.object({
    type: z.enum(['assistant_thread_started', 'assistant_thread_context_changed']),
    assistant_thread: z.object({
      channel_id: z.string(),
      thread_ts: z.string(),
      context: z.object({ channel_id: z.string().optional() }).nullish(),
    }),
  }),
})
/** The newer view is the tab of messages (docs.slack.dev/ai/migrating-to-agent-messaging). */
const tab = z.object({
  event: z.object({ type: z.literal('app_home_opened'), tab: z.literal('messages'), channel: z.string() }),
})
/** There each message says what its person is looking at. */
const entity = z.object({
  type: z.string(),
  value: z.union([z.string(), z.looseObject({ channel_id: z.string().optional() })]).optional(),
})
const contextual = z.object({ event: z.object({ app_context: z.object({ entities: z.array(entity).default([]) }) }) })
/** A channel, and a message or thread in one. */
const [CHANNEL, MESSAGE] = ['slack#/types/channel_id', 'slack#/types/message_context']
const anything = z.unknown()

export interface AssistantDeps {
  readonly api: SlackApi
  readonly log: Logger
  readonly signal: AbortSignal
  readonly prompts: readonly string[]
}

interface KnownThread {
  readonly isUntitled: boolean
  /** The channel that the person is looking at. */
  readonly viewed: string | undefined
  /** The one that was handed over last. */
  readonly told: string | undefined
}
const UNKNOWN: KnownThread = { isUntitled: false, viewed: undefined, told: undefined }

export class Assistant {
  readonly #deps: AssistantDeps
  readonly #threads: Map<string, KnownThread> = new Map()
  /** The app has no such view. */
  #isOff = false

  constructor(deps: AssistantDeps) {
    this.#deps = deps
  }

  /** Whether an event is about a view, and not a message. */
  take(payload: unknown): boolean {
    const home = tab.safeParse(payload).data?.event
    if (home) this.#suggest({ channel_id: home.channel })
    const view = place.safeParse(payload).data?.event
    if (!view) return home !== undefined
    const { channel_id, thread_ts, context } = view.assistant_thread
    const isNew = view.type === 'assistant_thread_started'
    const key = getThreadKey({ channel: channel_id, thread: thread_ts })
    this.#note(key, { ...(isNew && { isUntitled: true }), viewed: context?.channel_id })
    if (isNew) this.#suggest({ channel_id, thread_ts })
    return true
  }

  /** The message, with the channel that its person is looking at if that is another than with the message before. */
  complete(inbound: InboundMessage, payload: unknown): InboundMessage {
    if (inbound.chatKind !== 'dm' || inbound.press !== undefined) return inbound
    const key = getThreadKey({ channel: inbound.chatId, thread: inbound.threadId })
    const entities = contextual.safeParse(payload).data?.event.app_context.entities
    if (entities) this.#note(key, { viewed: entities.map(getChannel).find((each) => each !== undefined) })
    const { viewed, told } = this.#threads.get(key) ?? UNKNOWN
    return viewed === undefined || viewed === told ? inbound : { ...inbound, viewing: { chatId: viewed } }
  }

  /** A message was taken. The first one gives its thread the title. */
  taken({ chatId, threadId, text, viewing }: InboundMessage): void {
    const key = getThreadKey({ channel: chatId, thread: threadId })
    const known = this.#threads.get(key)
    if (!known) return
    if (viewing) this.#note(key, { told: viewing.chatId })
    const [line = ''] = text.trim().split('\n')
    if (!known.isUntitled || threadId === undefined || line === '' || line.startsWith('!')) return
    this.#note(key, { isUntitled: false })
    this.#call('setTitle', { channel_id: chatId, thread_ts: threadId, title: shorten(line) })
  }

  #note(key: string, change: Partial<KnownThread>): void {
    setBounded(this.#threads, key, { ...(this.#threads.get(key) ?? UNKNOWN), ...change }, MAX_THREADS)
  }

  /** `thread_ts` is for the older view only. */
  #suggest(at: { readonly channel_id: string; readonly thread_ts?: string }): void {
    const prompts = this.#deps.prompts.map((message) => ({ title: shorten(message), message }))
    if (prompts.length > 0) this.#call('setSuggestedPrompts', { ...at, prompts })
  }

  /** Best effort: messages do not wait for it. */
  #call(name: 'setTitle' | 'setSuggestedPrompts', form: Readonly<Record<string, string | object>>): void {
    if (this.#isOff) return
    const { api, log, signal } = this.#deps
    const lacking = () => {
      this.#isOff = true
    }
    api.call(`assistant.threads.${name}`, form, anything, { lacking }).catch((error: unknown) => {
      if (!signal.aborted) log.warn(`The view for assistants was not changed: ${errorMessage(error)}`, { error })
    })
  }
}

function getChannel({ type, value }: z.infer<typeof entity>): string | undefined {
  if (typeof value === 'string') return type === CHANNEL ? value : undefined
  return type === MESSAGE ? value?.channel_id : undefined
}

function shorten(text: string): string {
  const characters = [...text]
  return characters.length <= TITLE_LENGTH ? text : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`
}
