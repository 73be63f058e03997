/** A connected account: posts in, posts out. Imported when a platform connects. */
import type { Clock, Logger, Net, Random } from 'svc/sdk'
import { encodeMultipartForm } from 'svc/sdk/media'
import {
  beforeSending,
  classifyDeliveryError,
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type MessageReaction,
  type OutboundFile,
  type OutboundMessage,
  type OutboundMessageEdit,
  type ReactionState,
  readWithLimit,
  type SendReceipt,
} from 'svc/sdk/platform'
import { z } from 'zod'
import { MattermostApi, UNAUTHORIZED } from './api.ts'
import type { Config } from './config.ts'
import { Events } from './events.ts'
import { post, type Reader } from './inbound.ts'
import { Intake } from './intake.ts'
import { PostCursor } from './post-cursor.ts'

export interface MattermostDeps {
  readonly config: Config
  readonly clock: Clock
  readonly net: Net
  readonly random: Random
  readonly log: Logger
  /** Of the server; empty when it is not known. */
  url(): string
  token(): string | undefined
}

const identity = z.object({ id: z.string(), username: z.string() })
/** What the button that takes a preview away writes (github.com/mattermost/mattermost, webapp, REMOVE_LINK_PREVIEW). */
const NO_PREVIEW = { remove_link_preview: 'true' }
const created = z.object({ id: z.string(), create_at: z.number().optional() })
const uploaded = z.object({ file_infos: z.array(z.object({ id: z.string() })).min(1) })
const page = z.object({ order: z.array(z.string()), posts: z.record(z.string(), post) })

const EMOJI: Readonly<Record<ReactionState, string>> = { working: 'eyes', done: 'white_check_mark', failed: 'x' }

/** Where the key of a message is kept. */
const KEY_PROP = 'svc_key'
const PAGE = 200
/** Newest first; lookups follow soon after the message was sent. */
const PAGES = 3
const MAX_THREADS = 500

/** An account that is connected. */
export class Connection {
  readonly #deps: MattermostDeps
  readonly #link: GatewayConnection
  readonly #api: MattermostApi
  readonly #signal: AbortSignal
  readonly #token: string
  readonly #threads: Map<string, boolean> = new Map()
  #events: Events | undefined
  #me = ''
  #isLost = false

  /** Aborting `signal` ends it. */
  constructor(deps: MattermostDeps, link: GatewayConnection, signal: AbortSignal) {
    this.#deps = deps
    this.#link = link
    this.#signal = signal
    const token = deps.token()
    if (token === undefined) throw deliveryRefused('MATTERMOST_UNAUTHORIZED', UNAUTHORIZED)
    this.#token = token
    const refusedToken = (reason: string) => this.#lost(reason, { final: true, code: 'mattermost_unauthorized' })
    this.#api = new MattermostApi({ net: deps.net, url: deps.url(), token, signal, refusedToken })
  }

  /** Resolves when events flow. */
  async open(): Promise<void> {
    const { clock, log, config } = this.#deps
    const me = await this.#whoAmI()
    this.#me = me.id
    const reader: Reader = {
      ...{ userId: me.id, userName: me.username, replyInThread: config.reply_mode === 'thread' },
      isOwnThread: (rootId) => this.#isOwnThread(rootId),
    }
    const taken = new PostCursor(this.#link.cursor(`${this.#deps.url()} ${me.id}`))
    const common = { clock, signal: this.#signal }
    const intake = new Intake({ ...common, api: this.#api, log, link: this.#link, reader, taken })
    const events = new Events({
      ...{ ...common, url: this.#deps.url(), token: this.#token },
      posted: (data) => intake.posted(data),
      missed: () => void intake.catchUp().catch(() => this.#lost('Posts are missing, and could not be asked for.')),
      alive: () => this.#link.alive(),
      lost: (reason, options) => this.#lost(reason, options),
    })
    await intake.catchUp(() => events.open())
    this.#events = events
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { chatId, threadId, text, key, files = [], commit } = message
    const fileIds: string[] = []
    for (const file of files) fileIds.push(await beforeSending(this.#upload(chatId, file)))
    const json = {
      ...{ channel_id: chatId, message: text, root_id: threadId ?? '', file_ids: fileIds },
      // The server knows this one for about half a minute, the other for ever.
      ...{ pending_post_id: `${this.#me}:${key}`, props: { [KEY_PROP]: key, ...NO_PREVIEW } },
    }
    const { id, create_at: at } = await this.#api.ask(
      { method: 'POST', path: '/posts', json, what: 'take the message', commit },
      created,
    )
    if (!threadId) this.#rememberThread(id, true)
    return { messageId: id, ...(at && { at }) }
  }

  /** Looks through the newest posts of the channel, those of threads included. */
  async find({ chatId, key }: OutboundMessage): Promise<SendReceipt | undefined> {
    for (let at = 0; at < PAGES; at++) {
      const path = `/channels/${chatId}/posts?page=${at}&per_page=${PAGE}`
      const { order, posts } = await this.#api.ask({ method: 'GET', path, what: 'list the newest posts' }, page)
      const found = Object.values(posts).find((each) => {
        return each.user_id === this.#me && each.props?.[KEY_PROP] === key && each.delete_at === 0
      })
      if (found) return { messageId: found.id, at: found.create_at }
      if (order.length < PAGE) return undefined
    }
    return undefined
  }

  /** One of each kind is shown (developers.mattermost.com/api-documentation, reactions). */
  async react({ messageId: post_id, state, before }: MessageReaction): Promise<void> {
    const what = 'mark a post'
    const json = { user_id: this.#me, post_id, emoji_name: state && EMOJI[state] }
    if (state) await this.#api.ask({ method: 'POST', path: '/reactions', json, what }, z.unknown())
    if (!before) return
    const path = `/users/${this.#me}/posts/${post_id}/reactions/${EMOJI[before]}`
    await this.#api.ask({ method: 'DELETE', path, what }, z.unknown())
  }

  async edit({ messageId, text }: OutboundMessageEdit): Promise<void> {
    const path = `/posts/${encodeURIComponent(messageId)}/patch`
    // Props that are left out stay as they are.
    const json = { message: text }
    await this.#api.ask({ method: 'PUT', path, json, what: 'change the message' }, created)
  }

  async typing(chatId: string, threadId?: string): Promise<void> {
    this.#events?.typing(chatId, threadId)
  }

  async fetch({ ref, name }: InboundFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array> {
    const { maxBytes, signal } = options
    const response = await this.#api.file(ref, signal)
    return readWithLimit(response.body, { name, maxBytes })
  }

  async probe(): Promise<boolean> {
    if (!this.#events?.isOpen) return false
    await this.#whoAmI()
    return true
  }

  #whoAmI(): Promise<z.infer<typeof identity>> {
    return this.#api.ask({ method: 'GET', path: '/users/me', what: 'say who the bot is', timeoutMs: 10_000 }, identity)
  }

  async #upload(chatId: string, file: OutboundFile): Promise<string> {
    const { name, mediaType } = file
    const part = { field: 'files', name, mediaType, bytes: await file.bytes() }
    const form = encodeMultipartForm({ channel_id: chatId }, part, this.#deps.random.hex(24))
    const request = { method: 'POST', path: '/files', form, what: 'take the file', timeoutMs: 300_000 } as const
    const { file_infos } = await this.#api.ask(request, uploaded)
    const [stored] = file_infos
    if (stored) return stored.id
    throw deliveryBusy('MATTERMOST_FAILED', `Mattermost did not keep the file ${name}.`)
  }

  /** Asked for once. Where it cannot be known now, the post is tried again later. */
  async #isOwnThread(rootId: string): Promise<boolean> {
    const known = this.#threads.get(rootId)
    if (known !== undefined) return known
    const path = `/posts/${encodeURIComponent(rootId)}`
    const asked = this.#api.ask({ method: 'GET', path, what: 'show the first post of a thread' }, post)
    const isOwn = await asked.then(
      ({ user_id }) => user_id === this.#me,
      (error: unknown) => {
        if (classifyDeliveryError(error).kind !== 'refused') throw error
        return false
      },
    )
    this.#rememberThread(rootId, isOwn)
    return isOwn
  }

  #rememberThread(rootId: string, isOwn: boolean): void {
    const [oldest] = this.#threads.keys()
    if (this.#threads.size >= MAX_THREADS && oldest !== undefined) this.#threads.delete(oldest)
    this.#threads.set(rootId, isOwn)
  }

  #lost(reason: string, options?: { readonly final?: boolean; readonly code?: string }): void {
    if (this.#isLost || this.#signal.aborted) return
    this.#isLost = true
    this.#link.lost(reason, options)
  }
}
