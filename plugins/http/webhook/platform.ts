/** Webhooks as a platform: each event is a separate chat, and its messages are delivered as its route says. */
import type { Clock, Logger, Net, Secrets } from 'svc/sdk'
import {
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type OutboundMessage,
  type Platform,
  type PlatformSettings,
  type SendReceipt,
} from 'svc/sdk/platform'
import { type Http, type HttpApp, jsonResponse, type MountedApp } from 'svc/sdk/web'
import type { WebhookKeys } from './config.ts'
import type { Destination } from './destination.ts'
import type { ReadList } from './filters.ts'
import { Intake, REMEMBERED_MS } from './intake.ts'
import { Limiter } from './limiter.ts'
import { markup } from './markup.ts'
import type { Route, Routes } from './routes.ts'
import { runRouteScript } from './script.ts'
import type { EventStore } from './store.ts'
import type { WebhookSender } from './webhook-sender.ts'

export type WebhookSettings = PlatformSettings & WebhookKeys

export interface WebhookDeps {
  readonly settings: WebhookSettings
  readonly log: Logger
  readonly routes: Routes
  readonly store: EventStore
  readonly courier: WebhookSender
  readonly readList: ReadList
  /** The only folder that scripts are taken from. */
  readonly scripts: string
  clock(): Clock
  net(): Net
  http(): Http
  secrets(): Secrets
}

/** A comment of the code host takes 65,536; there is our mark in it (docs.github.com/rest/issues/comments). */
const MAX_CHARACTERS = 60_000
const PROBE_MS = 5000
/** What the server itself refuses, with the messages of webhooks. */
const words: Readonly<Record<number, string>> = { 401: 'Invalid signature', 413: 'Payload too large' }

/** While it is connected. */
interface Line {
  readonly link: GatewayConnection
  readonly mounted: MountedApp
}

export class WebhookPlatform implements Platform {
  readonly name = 'webhook'
  readonly label = 'Webhooks'
  readonly hint =
    'The answer is delivered to a comment, a chat or a log, and no person can reply: write one complete text and do not ask.'
  readonly isEvents = true
  readonly limits = {
    maxTextLength: MAX_CHARACTERS,
    idempotency: 'lookup',
    markup,
    duplicateWindowMs: REMEMBERED_MS,
    // What the code host takes of content (docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
    rate: { all: { count: 80, perMs: 60_000 } },
  } as const
  readonly settings: WebhookSettings
  readonly #deps: WebhookDeps
  #line: Line | undefined

  constructor(deps: WebhookDeps) {
    this.#deps = deps
    this.settings = deps.settings
  }

  missing(): string | undefined {
    const isWanted = this.settings.enabled === true || isTruthy(this.#deps.secrets().get('WEBHOOK_ENABLED'))
    if (isWanted || this.#deps.routes.all().length > 0) return undefined
    return 'has no routes; add one with `svc webhook add`'
  }

  async connect(link: GatewayConnection): Promise<void> {
    for (const route of this.#deps.routes.all()) this.#examine(route)
    const mounted = await this.#deps.http().mount(this.#app(link))
    if (link.signal.aborted) await mounted.close()
    link.signal.throwIfAborted()
    this.#line = { link, mounted }
    link.signal.addEventListener('abort', () => void this.close(), { once: true })
    link.alive()
  }

  async send({ chatId, text, key }: OutboundMessage): Promise<SendReceipt> {
    this.#connected()
    const { route, id, destination } = this.#findEvent(chatId)
    if (text.length > MAX_CHARACTERS)
      throw deliveryRefused('WEBHOOK_TARGET', `An answer has at most ${MAX_CHARACTERS} characters.`)
    return { messageId: await this.#deps.courier.deliver(destination, { route, id, text, key }) }
  }

  async find({ chatId, key }: OutboundMessage): Promise<SendReceipt | undefined> {
    const { destination, at } = this.#findEvent(chatId)
    const messageId = await this.#deps.courier.find(destination, key, at)
    return messageId === undefined ? undefined : { messageId }
  }

  /** Asks its own door, as others would. */
  async probe(): Promise<boolean> {
    const line = this.#line
    if (!line) return false
    const host = /^(0\.0\.0\.0|::)$/.test(this.settings.host) ? '127.0.0.1' : this.settings.host
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${line.mounted.port}/health`
    try {
      const response = await this.#deps.net().request({ url, timeoutMs: PROBE_MS })
      response.close()
      if (response.status !== 200) return false
      line.link.alive()
      return this.#line === line
    } catch {
      return false
    }
  }

  async close(): Promise<void> {
    const line = this.#line
    this.#line = undefined
    await line?.mounted.close()
  }

  /** Routes in config.yaml must be valid at start; an invalid route that was added later must not stop the others. */
  #examine({ name, origin, enabled, problem }: Route): void {
    if (!enabled || problem === undefined) return
    if (origin === 'config') throw deliveryRefused('WEBHOOK_ROUTE', `The webhook route "${name}" ${problem}.`)
    this.#deps.log.warn('an added webhook route takes nothing', { route: name, problem })
  }

  #app(link: GatewayConnection): HttpApp {
    const { log, routes, store, courier, clock, readList, scripts, secrets } = this.#deps
    const { host, rate_limit: rate, failed_limit: failures, max_body_bytes: maxBytes } = this.settings
    const intake = new Intake({
      log,
      routes,
      store,
      courier,
      clock,
      readList,
      taken: new Limiter(clock, rate),
      failed: new Limiter(clock, failures),
      receive: async (message) => {
        if (!this.#line) throw notConnected()
        link.alive()
        await link.receive(message)
      },
      script: (route, payload) => {
        const timeoutMs = this.settings.script_timeout_seconds * 1000
        return runRouteScript({ folder: scripts, script: route.script ?? '', payload, timeoutMs, clock: clock(), log })
      },
    })
    return {
      name: this.name,
      host,
      port: Number(secrets().get('WEBHOOK_PORT') ?? this.settings.port),
      prefix: '',
      lock: {
        kind: 'signed',
        check: (request) => intake.check(request),
      },
      routes: [
        { method: 'POST', path: '/webhooks/:route', maxBytes, handle: (request) => intake.handle(request) },
        {
          method: 'GET',
          path: '/health',
          lock: { kind: 'public' },
          handle: async () => jsonResponse({ status: 'ok', platform: this.name }),
        },
      ],
      failure: ({ status, message }) => jsonResponse({ error: words[status] ?? message }, status),
    }
  }

  #connected(): Line {
    if (this.#line) return this.#line
    throw notConnected()
  }

  #findEvent(chatId: string): { route: string; id: string; destination: Destination; at: number } {
    const [route = '', ...rest] = chatId.split(':')
    const id = rest.join(':')
    const known = this.#deps.store.destination(route, id)
    if (known) return { route, id, ...known }
    throw deliveryRefused('WEBHOOK_UNKNOWN', `No event ${id} of the route "${route}" is known any more.`)
  }
}

function notConnected(): Error {
  return deliveryBusy('WEBHOOK_NOT_CONNECTED', 'Webhooks are not connected.')
}

function isTruthy(text: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(text ?? '')
}
