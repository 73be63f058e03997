/** A platform whose service calls a webhook with what people write, and has an HTTP API for what they are answered. */
import { deliveryBusy, deliveryRefused } from '../../delivery.ts'
import { type Http, type HttpRequest, type HttpResponse, jsonResponse, type MountedApp } from '../../http.ts'
import type { PlatformSettings } from '../../platform-settings.ts'
import type {
  AccessEnvNames,
  GatewayConnection,
  InboundFile,
  InboundMessage,
  OutboundMessage,
  Platform,
  PlatformLimits,
  SendReceipt,
} from '../../platforms.ts'
import type { Logger } from '../../plugin.ts'
import type { Clock, Net } from '../../ports.ts'
import type { Secrets } from '../../secrets.ts'
import { PlatformApi, type PlatformApiOptions, toConnectError } from './api.ts'

/** The settings that every platform of this kind has. @since 0.2 */
export interface WebhookSettings extends PlatformSettings {
  readonly base_url: string
  readonly webhook_host: string
  readonly webhook_port: number
}

/** What the parts of a description work with. @since 0.2 */
export interface WebhookContext<Settings extends WebhookSettings = WebhookSettings> {
  readonly settings: Settings
  readonly clock: Clock
  /** A variable of the environment or of `.env`; empty if it is not set. */
  secret(name: string): string
}

/** Its description: data, and the mapping between the service and svc. @since 0.2 */
export interface WebhookPlatform<Me, Settings extends WebhookSettings = WebhookSettings> {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly access: AccessEnvNames
  /** Of its messages. Each is committed to, see `PlatformLimits.commits`. */
  readonly limits: PlatformLimits
  /** Default address of the API. */
  readonly baseUrl: string
  /** Default port of the webhook. */
  readonly port: number
  /** Where the service calls, such as `/webhooks/line`. */
  readonly path: string
  /** Variables that it needs. The first tells one account from another. */
  readonly needs: readonly string[]
  /** Bytes of a call (default 1 MiB). */
  readonly maxBytes?: number
  readonly api: (
    context: WebhookContext<Settings>,
  ) => Omit<PlatformApiOptions, 'label' | 'baseUrl' | 'net' | 'clock' | 'onLogOut'>
  /** Whose account it is, by the service; throws as `PlatformApi.ask` does. Also the proof that the connection works. */
  identify(api: PlatformApi, context: WebhookContext<Settings>): Promise<Me>
  /** Whether the service has made this call. Compare with `matchesSignature` or `isSameSecret`. */
  isGenuine(request: HttpRequest, context: WebhookContext<Settings>): boolean
  /** The messages of a call; undefined if it is malformed. What needs no answer is left out. */
  read(
    request: HttpRequest,
    me: Me,
    context: WebhookContext<Settings>,
  ): readonly Omit<InboundMessage, 'platform'>[] | undefined
  /**
   * The reply to a call that brings no message, such as a check of the address; undefined for any other. With `checks` it is asked for
   * GET requests, too, which have the same path and lock.
   */
  reply?(request: HttpRequest, context: WebhookContext<Settings>): HttpResponse | undefined
  readonly checks?: true
  /** What the service expects of a call that was taken (default: 200 with an empty JSON object). */
  readonly taken?: HttpResponse
  /** Throws as `PlatformApi.ask` does, or `deliveryRefused`. */
  send(message: OutboundMessage, api: PlatformApi, context: WebhookContext<Settings>): Promise<SendReceipt>
  fetch?(
    file: InboundFile,
    api: PlatformApi,
    options: { readonly maxBytes: number; readonly signal: AbortSignal; readonly settings: Settings },
  ): Promise<Uint8Array>
  typing?(chatId: string, api: PlatformApi, signal?: AbortSignal): Promise<void>
}

interface Deps<Settings extends WebhookSettings> {
  readonly settings: Settings
  readonly log: Logger
  net(): Net
  http(): Http
  clock(): Clock
  secrets(): Secrets
}

const MAX_BYTES = 2 ** 20

/** While it is connected. */
interface Line<Me> {
  readonly link: GatewayConnection
  readonly me: Me
  readonly api: PlatformApi
  readonly mounted: MountedApp
}

/** The platform of a description. */
export class DescribedPlatform<Me, Settings extends WebhookSettings> implements Platform {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly access: AccessEnvNames
  readonly settings: Settings
  readonly limits: PlatformLimits
  readonly fetch?: NonNullable<Platform['fetch']>
  readonly typing?: NonNullable<Platform['typing']>
  readonly #about: WebhookPlatform<Me, Settings>
  readonly #deps: Deps<Settings>
  #line: Line<Me> | undefined

  constructor(about: WebhookPlatform<Me, Settings>, deps: Deps<Settings>) {
    const { name, label, hint, access, limits, fetch, typing } = about
    this.name = name
    this.label = label
    if (hint !== undefined) this.hint = hint
    this.access = access
    this.settings = deps.settings
    this.limits = { ...limits, commits: true }
    const { settings } = deps
    if (fetch) this.fetch = async (file, options) => fetch(file, this.#connected().api, { ...options, settings })
    if (typing) this.typing = async (chatId, _threadId, signal) => typing(chatId, this.#connected().api, signal)
    this.#about = about
    this.#deps = deps
  }

  missing(): string | undefined {
    const names = this.#about.needs.filter((variable) => this.#secret(variable) === '')
    return names.length > 0 ? `needs ${names.join(' and ')}` : undefined
  }

  account(): string | undefined {
    return this.#secret(this.#about.needs[0] ?? '') || undefined
  }

  async connect(link: GatewayConnection): Promise<void> {
    const api = this.#createApi(link)
    const me = await this.#about.identify(api, this.#context).catch((error: unknown) => {
      throw toConnectError(this.label, error)
    })
    link.signal.throwIfAborted()
    const mounted = await this.#listen()
    if (link.signal.aborted) await mounted.close()
    link.signal.throwIfAborted()
    this.#line = { link, me, api, mounted }
    link.signal.addEventListener('abort', () => void this.close(), { once: true })
    link.alive()
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { api, link } = this.#connected()
    const { maxTextLength, measure } = this.limits
    if (measureText(message.text, measure) > maxTextLength)
      throw deliveryRefused('PLATFORM_TOO_LONG', `${this.label} takes ${maxTextLength} characters in one message.`)
    const receipt = await this.#about.send(message, api, this.#context)
    link.alive()
    return receipt
  }

  async probe(): Promise<boolean> {
    const line = this.#line
    if (!line) return false
    return this.#about.identify(line.api, this.#context).then(
      () => {
        line.link.alive()
        return true
      },
      () => false,
    )
  }

  async close(): Promise<void> {
    const line = this.#line
    this.#line = undefined
    await line?.mounted.close()
  }

  get #context(): WebhookContext<Settings> {
    return { settings: this.settings, clock: this.#deps.clock(), secret: (name) => this.#secret(name) }
  }

  #secret(name: string): string {
    return this.#deps.secrets().get(name) ?? ''
  }

  #connected(): Line<Me> {
    if (this.#line) return this.#line
    throw deliveryBusy('PLATFORM_NOT_CONNECTED', `${this.label} is not connected.`)
  }

  #createApi(link: GatewayConnection): PlatformApi {
    return new PlatformApi({
      ...{ label: this.label, baseUrl: this.settings.base_url, net: this.#deps.net, clock: this.#deps.clock },
      ...this.#about.api(this.#context),
      onLogOut: ({ message }) => link.lost(message, { final: true, code: `${this.name}_unauthorized` }),
    })
  }

  #listen(): Promise<MountedApp> {
    const { path, maxBytes = MAX_BYTES, isGenuine, checks } = this.#about
    const check = async (request: HttpRequest) => this.#about.reply?.(request, this.#context) ?? { status: 404 }
    const { webhook_host: host, webhook_port: port } = this.settings
    return this.#deps.http().mount({
      ...{ name: this.name, host, port, prefix: '' },
      lock: { kind: 'signed', check: (request) => isGenuine(request, this.#context) },
      routes: [
        { method: 'POST', path, maxBytes, handle: (request) => this.#take(request) },
        ...(checks ? [{ method: 'GET', path, handle: check } as const] : []),
        { method: 'GET', path: '/health', lock: { kind: 'public' }, handle: async () => ({ body: 'ok' }) },
      ],
    })
  }

  /** A call is acknowledged once all of its messages are stored, never earlier. */
  async #take(request: HttpRequest): Promise<HttpResponse> {
    const line = this.#line
    if (!line) return jsonResponse({ error: 'Not connected.' }, 503)
    line.link.alive()
    const reply = this.#about.reply?.(request, this.#context)
    if (reply) return reply
    const messages = this.#about.read(request, line.me, this.#context)
    if (!messages) return jsonResponse({ error: `This is no call of ${this.label}.` }, 400)
    try {
      for (const message of messages) await line.link.receive({ platform: this.name, ...message })
      return this.#about.taken ?? jsonResponse({})
    } catch (error) {
      const told = `a message could not be taken; ${this.label} is asked to send it again`
      this.#deps.log.warn(told, { error: String(error) })
      return jsonResponse({ error: 'Not taken; send it again.' }, 503)
    }
  }
}

function measureText(text: string, measure: PlatformLimits['measure'] = 'utf16'): number {
  if (measure === 'bytes') return Buffer.byteLength(text)
  return measure === 'codepoints' ? [...text].length : text.length
}
