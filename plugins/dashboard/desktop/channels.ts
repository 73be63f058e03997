/**
 * The loopback server of the launcher: the page of a start, the channels `svc:bootstrap:event|get|reset` and others between
 * launcher and page, and the orders of later starts.
 */
import { errorMessage, type Logger, logFault, type Random, SvcError, tryParseJson } from 'svc/sdk'
import {
  type Http,
  type HttpRequest,
  type HttpResponse,
  type HttpSocket,
  jsonResponse,
  type MountedApp,
} from 'svc/sdk/web'
import { z } from 'zod'
import { overlayPage } from './overlay-page.ts'
import { type Order, orderSchema, type Reach } from './single-instance.ts'

export interface ChannelDeps {
  readonly http: Http
  readonly random: Random
  readonly log: Logger
  /** Answers what a page of a profile asks, by channel. */
  readonly answers: Readonly<Record<string, (profile: string) => unknown>>
  order(order: Order): Promise<object>
}

interface Page {
  readonly socket: HttpSocket
  readonly profile: string
}

const askSchema = z.object({ id: z.number(), channel: z.string(), payload: z.unknown().optional() })
/** A page sends a click at a time. */
const MAX_BYTES = 16_384
/** A page that stops reading is closed; it asks for everything again when it connects. */
const MAX_WAITING = 1000

export class DesktopChannels {
  readonly #deps: ChannelDeps
  readonly #token: string
  /** Of pages that are connected, so that they can come back. */
  readonly #key: string
  readonly #tickets: Set<string> = new Set()
  readonly #pages: Map<Page, { waiting: number }> = new Map()
  #mounted: MountedApp | undefined

  constructor(deps: ChannelDeps) {
    this.#deps = deps
    this.#token = deps.random.hex(32)
    this.#key = deps.random.hex(32)
  }

  async open(): Promise<Reach> {
    this.#mounted = await this.#deps.http.mount({
      name: 'desktop',
      host: '127.0.0.1',
      port: 0,
      prefix: '',
      lock: { kind: 'bearer', secret: () => this.#token },
      origins: (origin) => origin === this.#mounted?.url,
      headers: { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' },
      routes: [
        { method: 'GET', path: '/', lock: { kind: 'public' }, handle: async () => this.#page() },
        { method: 'POST', path: '/order', maxBytes: MAX_BYTES, handle: (request) => this.#order(request) },
      ],
      sockets: [
        {
          path: '/channels',
          maxBytes: MAX_BYTES,
          lock: { kind: 'credential', isSet: () => true, check: (request) => this.#mayConnect(request) },
          handle: (socket) => this.#serve(socket),
        },
      ],
    })
    return { url: this.#mounted.url, token: this.#token }
  }

  /** The address of the page for one window. Its ticket opens the channels once. */
  pageUrl(profile: string): string {
    const ticket = this.#deps.random.hex(24)
    this.#tickets.add(ticket)
    return `${this.#mounted?.url}/#${new URLSearchParams({ ticket, profile })}`
  }

  /** Tells the pages of a profile, or all pages. */
  emit(channel: string, payload: unknown, profile?: string): void {
    const text = JSON.stringify({ channel, payload })
    for (const [page, state] of this.#pages) {
      if (profile !== undefined && page.profile !== profile) continue
      if (state.waiting >= MAX_WAITING) page.socket.close()
      else this.#send(page, state, text)
    }
  }

  async close(): Promise<void> {
    await this.#mounted?.close()
  }

  #send({ socket }: Page, state: { waiting: number }, text: string): void {
    state.waiting++
    void socket.send(text).then(() => {
      state.waiting--
    })
  }

  #mayConnect({ query }: HttpRequest): boolean {
    const ticket = query.get('ticket')
    if (ticket !== null) return this.#tickets.delete(ticket)
    return query.get('key') === this.#key
  }

  #page(): HttpResponse {
    const { html, policy } = overlayPage(this.#deps.random.hex(16))
    return { headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }, body: html }
  }

  async #order({ body }: HttpRequest): Promise<HttpResponse> {
    const order = orderSchema.safeParse(tryParseJson(Buffer.from(body).toString())?.value)
    if (!order.success) return jsonResponse({ error: 'There is no such order.' }, 400)
    try {
      return jsonResponse(await this.#deps.order(order.data))
    } catch (error) {
      logFault(this.#deps.log, 'an order of another start failed', error)
      return jsonResponse({ error: errorMessage(error) }, 409)
    }
  }

  async #serve(socket: HttpSocket): Promise<void> {
    const page = { socket, profile: socket.request.query.get('profile') ?? 'default' }
    const state = { waiting: 0 }
    this.#pages.set(page, state)
    try {
      this.#send(page, state, JSON.stringify({ channel: 'svc:session', payload: { key: this.#key } }))
      for await (const text of socket.messages) this.#send(page, state, await this.#answer(text, page.profile))
    } finally {
      this.#pages.delete(page)
    }
  }

  async #answer(text: string, profile: string): Promise<string> {
    const asked = askSchema.safeParse(tryParseJson(text)?.value)
    if (!asked.success) return JSON.stringify({ id: null, error: 'The message is malformed.' })
    const { id, channel } = asked.data
    const { answers } = this.#deps
    try {
      const answer = Object.hasOwn(answers, channel) ? answers[channel] : undefined
      if (!answer) throw new SvcError('DESKTOP_CHANNEL', `There is no channel ${channel.slice(0, 100)}.`)
      return JSON.stringify({ id, result: (await answer(profile)) ?? null })
    } catch (error) {
      logFault(this.#deps.log, 'a page asked in vain', error)
      return JSON.stringify({ id, error: errorMessage(error) })
    }
  }
}
