/** A connected profile: what comes in over the WebSocket of simplex-chat, and what leaves. */
import { type Clock, type Logger, tryParseJson } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { measureSound } from 'svc/sdk/kit/files'
import { setBounded } from 'svc/sdk/kit/state'
import {
  classifyDeliveryError,
  deliveryRefused,
  deliveryUncertain,
  type GatewayConnection,
  type InboundFile,
  type OutboundFile,
  type OutboundMessage,
  type OutboundMessageEdit,
  retryUntilTaken,
  type SendReceipt,
} from 'svc/sdk/platform'
import { z } from 'zod'
import { type Record, SimplexClient } from './client.ts'
import type { Config } from './config.ts'
import { removeFolder, SimplexFiles } from './files.ts'
import { type Item, readChat, readItems, toInbound } from './items.ts'

export interface ConnectionDeps {
  readonly url: string
  readonly settings: Config
  readonly link: GatewayConnection
  readonly clock: Clock
  readonly log: Logger
}

const PROBE_MS = 10_000
const CHATS = 200
/** Messages that are read back of each chat. */
const MISSED = 100
/** Among so many a message is looked for that may have been sent. */
const LOOKED_AT = 50
const MAX_REMEMBERED = 1000
const CHAT_ID = /^[@#]\d{1,18}$/
const user = z.object({ user: z.object({ userId: z.number().int() }) })
const request = z.object({ contactRequest: z.object({ contactRequestId: z.number().int() }) })
/** github.com/simplex-chat/simplex-chat/blob/stable/bots/api/COMMANDS.md, "ShowMyAddress". */
const ownAddress = z.object({
  contactLink: z.object({
    connLinkContact: z.object({ connFullLink: z.string(), connShortLink: z.string().nullish() }),
  }),
})
const note = z.object({ after: z.number().int() })

export class SimplexConnection {
  readonly #deps: ConnectionDeps
  readonly #files: SimplexFiles
  #client: SimplexClient | undefined
  #userId = 0
  #isConnected = false
  /** One message after another; the missed ones first. */
  #work: Promise<void> = Promise.resolve()
  /** The newest message of the chat before a delivery, by its key, for deliveries that cannot write a note. */
  readonly #before: Map<string, number> = new Map()

  private constructor(deps: ConnectionDeps) {
    this.#deps = deps
    this.#files = new SimplexFiles(() => this.#open)
  }

  /** Resolves once messages arrive. Throws as `Platform.connect` does. */
  static async open(deps: ConnectionDeps): Promise<SimplexConnection> {
    const connection = new SimplexConnection(deps)
    try {
      await connection.#connect()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { chatId, text, key, replyTo, files = [], writeNote, commit } = message
    requireChat(chatId)
    const [last] = (await this.#read(chatId, 1)).slice(-1)
    const after = last?.chatItem.meta.itemId ?? 0
    const [file] = files
    const put = file && (await this.#files.put(file))
    const composed = {
      msgContent: { ...(await describeContent(file)), text },
      mentions: {},
      ...(put && { fileSource: { filePath: put.path } }),
      ...(replyTo !== undefined && /^\d{1,18}$/.test(replyTo) && { quotedItemId: Number(replyTo) }),
    }
    try {
      setBounded(this.#before, key, after, MAX_REMEMBERED)
      writeNote?.(JSON.stringify({ after }))
      const answer = await this.#open.ask(`/_send ${chatId} json ${JSON.stringify([composed])}`, commit)
      const [sent] = readItems(answer['chatItems'])
      if (!sent) throw deliveryUncertain('PLATFORM_UNREACHABLE', 'simplex-chat did not say which message it sent.')
      if (put) this.#files.sending(sent.chatItem.file?.fileId, put.folder)
      return { messageId: String(sent.chatItem.meta.itemId) }
    } catch (error) {
      // One that may be sent now is still read.
      if (put && (error as { readonly code?: string }).code === 'PLATFORM_REFUSED') await removeFolder(put.folder)
      throw error
    }
  }

  /** Among the messages behind the one that was the newest before this delivery. Without a note it never began. */
  async find({ chatId, text, key, files = [], note: written }: OutboundMessage): Promise<SendReceipt | undefined> {
    requireChat(chatId)
    const after = note.safeParse(tryParseJson(written ?? '')?.value).data?.after ?? this.#before.get(key)
    if (after === undefined) return undefined
    const found = (await this.#read(chatId, LOOKED_AT)).find(({ chatItem }) => {
      const { meta, content, file } = chatItem
      const isOwn = content.type === 'sndMsgContent' && meta.itemId > after
      const isFile = files.length > 0
      return isOwn && (file != null) === isFile && (content.msgContent?.text ?? '') === text
    })
    return found && { messageId: String(found.chatItem.meta.itemId) }
  }

  async edit({ chatId, messageId, text }: OutboundMessageEdit): Promise<void> {
    requireChat(chatId)
    if (!/^\d{1,18}$/.test(messageId)) throw deliveryRefused('PLATFORM_REFUSED', 'That is no message of SimpleX.')
    const json = JSON.stringify({ msgContent: { type: 'text', text }, mentions: {} })
    await this.#open.ask(`/_update item ${chatId} ${messageId} json ${json}`)
  }

  fetch(file: InboundFile, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<Uint8Array> {
    return this.#files.fetch(file, options)
  }

  /** The short link if the program makes them; undefined if the profile has no address. */
  async address(): Promise<string | undefined> {
    const answer = await this.#open.ask(`/_show_address ${this.#userId}`).catch((error: unknown) => {
      if (classifyDeliveryError(error).kind === 'refused') return undefined
      throw error
    })
    const { connFullLink, connShortLink } = ownAddress.safeParse(answer).data?.contactLink.connLinkContact ?? {}
    return connShortLink ?? connFullLink
  }

  async probe(): Promise<boolean> {
    const client = this.#client
    if (!client || client.signal.aborted) return false
    const answered = client.ask('/user').then(
      () => true,
      () => false,
    )
    return (await waitAtMost(this.#deps.clock, PROBE_MS, answered, { signal: client.signal })) === true
  }

  close(): void {
    this.#isConnected = false
    this.#client?.close()
  }

  get #open(): SimplexClient {
    if (this.#client) return this.#client
    throw new Error('the client is not open yet')
  }

  async #connect(): Promise<void> {
    const { url, link, clock } = this.#deps
    let begin = () => {}
    this.#work = new Promise((resolve) => {
      begin = resolve
    })
    this.#client = await SimplexClient.open({
      ...{ url, clock, signal: link.signal },
      event: (event) => this.#take(event),
      heard: () => link.alive(),
      lost: (reason) => {
        if (this.#isConnected) link.lost(reason)
      },
    })
    const active = user.safeParse(await this.#client.ask('/user')).data
    if (!active) throw deliveryRefused('PLATFORM_UNAUTHORIZED', 'simplex-chat has no active profile. Create one there.')
    this.#userId = active.user.userId
    const missed = await this.#readMissed()
    this.#client.signal.throwIfAborted()
    this.#isConnected = true
    begin()
    this.#work = this.#work.then(() => this.#receiveAll(missed))
  }

  /** Events that came while it was connecting wait until what was missed is stored. */
  #take(event: Record): void {
    const owner = user.safeParse(event).data?.user.userId
    this.#files.take(event)
    if (event.type === 'receivedContactRequest') void this.#accept(event)
    if (event.type !== 'newChatItems') return
    const items = readItems(event['chatItems'])
    this.#work = this.#work.then(() => (owner === this.#userId ? this.#receiveAll(items) : undefined))
  }

  async #accept(value: unknown): Promise<void> {
    const { settings, log } = this.#deps
    const asked = request.safeParse(value).data?.contactRequest
    if (!asked) return
    if (!settings.accept_requests) return log.info('a person asks to be a contact; accept it in simplex-chat')
    await this.#client?.ask(`/_accept ${asked.contactRequestId}`).catch((error: unknown) => {
      log.warn('a contact request could not be accepted', { error })
    })
  }

  async #receiveAll(items: readonly Item[]): Promise<void> {
    const { link, clock, log } = this.#deps
    const { signal } = this.#open
    for (const item of [...items].sort((one, two) => getItemId(one) - getItemId(two))) {
      const message = toInbound(item)
      try {
        if (message) await retryUntilTaken(() => link.receive(message), { clock, log, signal })
        if (signal.aborted) return
        if (getItemId(item) > this.#position) this.#cursor.set(String(getItemId(item)))
      } catch (error) {
        if (!signal.aborted) log.warn('a message of SimpleX could not be read', { error })
        return
      }
    }
  }

  /** What is newer than what was read last, in all chats. The program stores messages, and does not repeat events. */
  async #readMissed(): Promise<readonly Item[]> {
    const query = JSON.stringify({ type: 'filters', favorite: false, unread: false })
    const { chats } = await this.#open.ask(`/_get chats ${this.#userId} count=${CHATS} ${query}`)
    const all = Array.isArray(chats) ? (chats as readonly unknown[]) : []
    for (const chat of all) await this.#accept(readRequest(chat))
    const newest = all.flatMap((chat) => readChat(chat).slice(-1))
    if (this.#cursor.get() === undefined) {
      this.#cursor.set(String(Math.max(0, ...newest.map(getItemId))))
      return []
    }
    const position = this.#position
    const missed: Item[] = []
    for (const last of newest.filter((each) => getItemId(each) > position)) {
      const { chatInfo } = last
      const id = chatInfo.type === 'direct' ? `@${chatInfo.contact.contactId}` : `#${chatInfo.groupInfo.groupId}`
      missed.push(...(await this.#read(id, MISSED)).filter((each) => getItemId(each) > position))
    }
    return missed
  }

  async #read(chatId: string, count: number): Promise<readonly Item[]> {
    return readChat((await this.#open.ask(`/_get chat ${chatId} count=${count}`))['chat'])
  }

  get #cursor() {
    return this.#deps.link.cursor(`${this.#deps.url} ${this.#userId}`)
  }

  get #position(): number {
    return Number(this.#cursor.get() ?? 0)
  }
}

/**
 * Speech is a voice message, with its length in seconds (github.com/simplex-chat/simplex-chat/blob/stable/bots/api/TYPES.md, "MsgContent").
 * The apps of all systems play MP3, and only some of them Opus.
 */
async function describeContent(
  file: OutboundFile | undefined,
): Promise<{ readonly type: string; readonly duration?: number }> {
  if (!file) return { type: 'text' }
  const length = file.isVoice ? measureSound(await file.bytes()) : undefined
  if (length?.format !== 'mp3') return { type: 'file' }
  return { type: 'voice', duration: Math.max(1, Math.round(length.ms / 1000)) }
}

function requireChat(chatId: string): void {
  if (!CHAT_ID.test(chatId))
    throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is neither a contact (@4) nor a group (#2) of SimpleX.`)
}

function getItemId({ chatItem }: Item): number {
  return chatItem.meta.itemId
}

/** A chat of the list that is a request. */
function readRequest(chat: unknown): unknown {
  return z.object({ chatInfo: z.looseObject({ type: z.literal('contactRequest') }) }).safeParse(chat).data?.chatInfo
}
