/** A topic of ntfy as a chat: messages that are published to it go to the agent. */
import { type Clock, errorCode, errorMessage, type Logger, logFault, type Net, SvcError } from 'svc/sdk'
import {
  commonMarkMarkup,
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type InboundMessage,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  type PlatformSettings,
  readWithLimit,
  retryUntilTaken,
  type SendReceipt,
} from 'svc/sdk/platform'
import { type Account, isOwn, NtfyApi, type NtfyEvent, readEvent, TOPIC } from './api.ts'
import { readEventLines } from './lines.ts'
import { TopicCursor } from './topic-cursor.ts'

export interface NtfyDeps {
  readonly settings: PlatformSettings
  account(): Account
  readonly net: Net
  readonly clock: Pick<Clock, 'after' | 'sleep'>
  readonly log: Pick<Logger, 'warn'>
}

/** Bytes of a message; a longer one would become a file (https://docs.ntfy.sh/publish/#limitations). */
const MAX_BYTES = 4096
const OPENED_MS = 15_000
const FINAL = { final: true, code: 'ntfy_unauthorized' } as const

/** One connection. */
interface Reading {
  readonly link: GatewayConnection
  readonly place: TopicCursor
  readonly signal: AbortSignal
}

export class Ntfy implements Platform {
  readonly name = 'ntfy'
  readonly label = 'ntfy'
  readonly hint = 'Answers are shown as push notifications: write one or two sentences.'
  readonly access = {
    users: 'NTFY_ALLOWED_USERS',
    everyone: 'NTFY_ALLOW_ALL_USERS',
    home: 'NTFY_HOME_CHANNEL',
  }
  readonly settings: PlatformSettings
  readonly #deps: NtfyDeps
  readonly #api: NtfyApi
  #open: { readonly abort: AbortController; readonly link: GatewayConnection } | undefined

  constructor(deps: NtfyDeps) {
    this.settings = deps.settings
    this.#deps = deps
    this.#api = new NtfyApi(deps.net, deps.account)
  }

  /** Requests and file sizes as on ntfy.sh (https://docs.ntfy.sh/publish/#limitations): 60, and one more every 5 s. */
  get limits(): PlatformLimits {
    const rate = { all: { count: 60, perMs: 300_000 } }
    const plain = {
      maxTextLength: MAX_BYTES,
      measure: 'bytes',
      idempotency: 'lookup',
      commits: true,
      rate,
      files: 15_728_640,
    } as const
    return this.#deps.account().markdown ? { ...plain, markup: commonMarkMarkup } : plain
  }

  missing(): string | undefined {
    return this.#deps.account().topic ? undefined : 'Set NTFY_TOPIC to the topic that is to be answered.'
  }

  /** docs.ntfy.sh/subscribe/phone, "ntfy:// links"; what is published elsewhere is not in the topic. */
  async contact(): Promise<string | undefined> {
    const { topic, server } = this.#deps.account()
    if (!TOPIC.test(topic) || !URL.canParse(server)) return undefined
    const { protocol, host, pathname } = new URL(server)
    const path = `${pathname.replace(/\/+$/, '')}/${topic}`
    return `ntfy://${host}${path}${protocol === 'http:' ? '?secure=false' : ''}`
  }

  account(): string {
    return this.#address()
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    link.signal.throwIfAborted()
    const { topic, publishTopic } = this.#deps.account()
    for (const each of [topic, publishTopic])
      if (!TOPIC.test(each))
        throw deliveryRefused('NTFY_TOPIC', `"${each}" is no topic. Set NTFY_TOPIC to letters and digits.`)
    const abort = new AbortController()
    link.signal.addEventListener('abort', () => abort.abort(), { signal: abort.signal })
    const late = new SvcError('NTFY_UNREACHABLE', 'The ntfy server did not open the topic.', { status: 502 })
    const cancel = this.#deps.clock.after(OPENED_MS, () => abort.abort(late))
    try {
      const place = new TopicCursor(link.cursor(this.#address()))
      const answer = await this.#api.subscribe(place.since, abort.signal)
      const lines = readEventLines(answer.body)
      const first = readEvent((await lines.next()).value ?? '')
      if (!first) throw new SvcError('NTFY_STRANGE', `${this.#address()} is no topic of ntfy. Check NTFY_SERVER_URL.`)
      this.#open = { abort, link }
      void this.#listen(first, lines, { link, place, signal: abort.signal })
    } catch (error) {
      abort.abort()
      throw error
    } finally {
      cancel()
    }
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    if (!this.#open) throw deliveryBusy('NTFY_CLOSED', 'ntfy is not connected. The message is sent once it is.')
    const { text, key, files: [file] = [], commit } = message
    const length = Buffer.byteLength(text)
    if (length > MAX_BYTES)
      throw deliveryRefused('NTFY_LENGTH', `The text has ${length} bytes; ntfy takes ${MAX_BYTES}.`)
    if (!text.trim() && !file) throw deliveryRefused('NTFY_LENGTH', 'ntfy takes no message without words.')
    const sent = file && { name: file.name, bytes: await file.bytes() }
    try {
      return { messageId: await this.#api.publish({ topic: this.#target(message), text, key, file: sent, commit }) }
    } catch (error) {
      if (errorCode(error) === 'NTFY_UNAUTHORIZED') await this.#lose(errorMessage(error), FINAL)
      throw error
    }
  }

  async find(message: OutboundMessage): Promise<SendReceipt | undefined> {
    const messageId = await this.#api.find(this.#target(message), message.key)
    return messageId === undefined ? undefined : { messageId }
  }

  async fetch(
    { ref, name }: InboundFile,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const answer = await this.#api.file(ref, signal)
    return readWithLimit(answer.body, { name, maxBytes })
  }

  async probe(): Promise<boolean> {
    const open = this.#open
    if (!open) return false
    const isHealthy = await this.#api.isHealthy(open.abort.signal).catch(() => false)
    return isHealthy && this.#open === open
  }

  async close(): Promise<void> {
    this.#open?.abort.abort()
    this.#open = undefined
  }

  /** What the place in the topic and the lock against a second gateway hang on. */
  #address(): string {
    const { server, topic } = this.#deps.account()
    return `${server}/${topic}`
  }

  /** Answers may go to a separate topic. */
  #target({ chatId }: OutboundMessage): string {
    const { topic, publishTopic } = this.#deps.account()
    if (!TOPIC.test(chatId)) throw deliveryRefused('NTFY_TOPIC', `"${chatId}" is no topic of ntfy.`)
    return chatId === topic ? publishTopic : chatId
  }

  async #listen(first: NtfyEvent, lines: AsyncIterable<string>, reading: Reading): Promise<void> {
    let reason = 'The ntfy server closed the topic.'
    try {
      await this.#hear(first, reading)
      for await (const line of lines) {
        const event = readEvent(line)
        if (event) await this.#hear(event, reading)
      }
    } catch (error) {
      if (!reading.signal.aborted) logFault(this.#deps.log, 'the topic of ntfy could not be read further', error)
      reason = errorMessage(error)
    }
    if (!reading.signal.aborted) await this.#lose(reason)
  }

  /** Said once for each connection. */
  async #lose(reason: string, options?: typeof FINAL): Promise<void> {
    const open = this.#open
    await this.close()
    open?.link.lost(reason, options)
  }

  /** The topic is not read on before the message is safe. */
  async #hear(event: NtfyEvent, { link, place, signal }: Reading): Promise<void> {
    link.alive()
    if (event.event === 'open') place.begin(event)
    if (event.event !== 'message' || place.has(event)) return
    const { clock, log } = this.#deps
    if (!isOwn(event)) await retryUntilTaken(() => link.receive(this.#inbound(event)), { clock, log, signal })
    place.advance(event)
  }

  /** Titles and tags can be set by anyone, so the topic is the user id: every person who knows it may write there. */
  #inbound({ id, time, topic, message, title, encoding, attachment }: NtfyEvent): InboundMessage {
    const text = encoding === 'base64' ? Buffer.from(message, 'base64').toString('utf8') : message
    const isKept = attachment && this.#api.isKept(attachment.url)
    const address = attachment && !isKept ? attachment.url : ''
    return {
      platform: this.name,
      chatId: topic,
      userId: topic,
      chatKind: 'dm',
      messageId: id,
      text: [title, text, address].filter(Boolean).join('\n'),
      at: time * 1000,
      ...(attachment && isKept && { files: [toInboundFile(attachment)] }),
    }
  }
}

function toInboundFile({ url, name, type, size }: NonNullable<NtfyEvent['attachment']>): InboundFile {
  return { ref: url, name, ...(type !== undefined && { mediaType: type }), ...(size !== undefined && { size }) }
}
