/** Notices have ids that count up and no keys, so what was sent is known by a note: the id of the notice before it. */
import type { Clock, Net, NetRequest } from 'svc/sdk'
import {
  beforeSending,
  deliveryErrorFromNetwork,
  deliveryErrorFromResponse,
  deliveryUncertain,
  type GatewayConnection,
  type OutboundMessage,
  type Platform,
  type PlatformSettings,
  type SendReceipt,
} from 'svc/sdk/platform'
import { z } from 'zod'

const notice = z.object({ id: z.number(), chat: z.string(), author: z.string(), text: z.string(), at: z.number() })
type Notice = z.infer<typeof notice>
const ME = 'svc'
const POLL_MS = 50

interface BoardDeps {
  readonly settings: PlatformSettings & { readonly url: string }
  readonly net: () => Net
  readonly clock: () => Clock
  readonly token: () => string | undefined
}

export class Board implements Platform {
  readonly name = 'board'
  readonly label = 'Notice board'
  readonly limits = { maxTextLength: 2000, idempotency: 'lookup', commits: true } as const
  readonly settings: PlatformSettings
  readonly #deps: BoardDeps
  #open: AbortController | undefined

  constructor(deps: BoardDeps) {
    this.#deps = deps
    this.settings = deps.settings
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    const open = new AbortController()
    const cursor = link.cursor(this.#deps.settings.url)
    if (cursor.get() === undefined) cursor.set(String(await this.#newest()))
    this.#open = open
    void this.#read(link, AbortSignal.any([open.signal, link.signal]))
  }

  async #read(link: GatewayConnection, signal: AbortSignal): Promise<void> {
    const cursor = link.cursor(this.#deps.settings.url)
    try {
      while (!signal.aborted) {
        for (const { id, chat, author, text, at } of await this.#list(Number(cursor.get()))) {
          const message = { platform: this.name, chatId: chat, userId: author, messageId: String(id), text, at }
          if (author !== ME) await link.receive(message)
          cursor.set(String(id))
        }
        link.alive()
        await this.#deps.clock().sleep(POLL_MS, signal)
      }
    } catch (error) {
      if (!signal.aborted) link.lost(String(error))
    }
  }

  async send({ chatId, text, writeNote, commit }: OutboundMessage): Promise<SendReceipt> {
    if (!this.#open) throw deliveryErrorFromNetwork('BOARD_CLOSED', 'The board is not connected', undefined)
    writeNote?.(String(await beforeSending(this.#newest())))
    const json = { chat: chatId, author: ME, text }
    const { id, at } = await this.#ask('/notices', notice, { json, once: true, ...(commit && { commit }) })
    return { messageId: String(id), at }
  }

  async find({ chatId, text, note }: OutboundMessage): Promise<SendReceipt | undefined> {
    if (note === undefined)
      throw deliveryUncertain('BOARD_UNKNOWN', 'There is no note of what was on the board before.')
    const isSent = (each: Notice) => each.author === ME && each.chat === chatId && each.text === text
    const found = (await this.#list(Number(note))).find(isSent)
    return found && { messageId: String(found.id), at: found.at }
  }

  async probe(): Promise<boolean> {
    const isThere = this.#newest().then(
      () => true,
      () => false,
    )
    return this.#open !== undefined && isThere
  }

  async close(): Promise<void> {
    this.#open?.abort()
    this.#open = undefined
  }

  #list(after: number): Promise<readonly Notice[]> {
    return this.#ask(`/notices?after=${after}`, z.array(notice))
  }

  #newest(): Promise<number> {
    return this.#ask('/newest', z.number())
  }

  async #ask<T>(path: string, schema: z.ZodType<T>, more: Partial<NetRequest> = {}): Promise<T> {
    const { settings, net, token } = this.#deps
    const headers = { authorization: `Bearer ${token()}` }
    const response = await net()
      .request({ url: `${settings.url}${path}`, headers, ...more })
      .catch((cause: unknown) => {
        throw deliveryErrorFromNetwork('BOARD_UNREACHABLE', 'The board did not answer', cause)
      })
    if (response.status === 200) return response.json(schema)
    await response.text()
    throw deliveryErrorFromResponse({ code: 'BOARD_REFUSED', what: 'The board refused it', response })
  }
}
