/** The platform of a description: all but how messages come in. */
import { deliveryBusy, deliveryRefused } from '../../delivery.ts'
import type { Http } from '../../http.ts'
import type {
  AccessEnvNames,
  GatewayConnection,
  OutboundMessage,
  Platform,
  PlatformLimits,
  SendReceipt,
} from '../../platforms.ts'
import type { Logger } from '../../plugin.ts'
import type { Clock, Net, Random } from '../../ports.ts'
import type { Secrets } from '../../secrets.ts'
import { PlatformApi, toConnectError } from './api.ts'
import type { ConnectedContext, DescribedSettings, PlatformContext, PlatformDescription } from './description.ts'

/** What a platform works with. */
export interface DescribedDeps<Settings extends DescribedSettings> {
  readonly settings: Settings
  readonly log: Logger
  net(): Net
  http(): Http
  clock(): Clock
  random(): Random
  secrets(): Secrets
}

/** While it is connected. */
export interface OpenConnection<Me, Settings extends DescribedSettings = DescribedSettings> {
  readonly link: GatewayConnection
  readonly me: Me
  readonly api: PlatformApi
  readonly context: ConnectedContext<Me, Settings>
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal
}

/** How messages come in. Resolves once they do, with what ends it. */
export type OpenIntake<Me, Settings extends DescribedSettings> = (
  connection: OpenConnection<Me, Settings>,
) => Promise<() => Promise<void>>

export class DescribedPlatform<Me, Settings extends DescribedSettings> implements Platform {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly access: AccessEnvNames
  readonly settings: Settings
  readonly limits: PlatformLimits
  readonly contact?: NonNullable<Platform['contact']>
  readonly find?: NonNullable<Platform['find']>
  readonly edit?: NonNullable<Platform['edit']>
  readonly react?: NonNullable<Platform['react']>
  readonly fetch?: NonNullable<Platform['fetch']>
  readonly typing?: NonNullable<Platform['typing']>
  readonly #about: PlatformDescription<Me, Settings>
  readonly #deps: DescribedDeps<Settings>
  readonly #openIntake: OpenIntake<Me, Settings>
  #open: (OpenConnection<Me, Settings> & { readonly end: () => Promise<void> }) | undefined

  constructor(
    about: PlatformDescription<Me, Settings>,
    deps: DescribedDeps<Settings>,
    openIntake: OpenIntake<Me, Settings>,
  ) {
    const { name, label, hint, access, limits } = about
    this.name = name
    this.label = label
    if (hint !== undefined) this.hint = hint
    this.access = access
    this.settings = deps.settings
    this.limits = { ...limits, commits: true }
    this.#about = about
    this.#deps = deps
    this.#openIntake = openIntake
    const at = () => this.#connected()
    if (about.contact) this.contact = async () => about.contact?.(await this.#identified())
    if (about.find) this.find = async (message) => about.find?.(message, at().api, at().context)
    if (about.edit) this.edit = async (message) => about.edit?.(message, at().api, at().context)
    if (about.react) this.react = async (reaction) => about.react?.(reaction, at().api, at().context)
    const { fetch, typing } = about
    if (fetch) this.fetch = async (file, options) => fetch.call(about, file, at().api, { ...at().context, ...options })
    if (typing)
      this.typing = async (chatId, threadId, signal) => {
        const more = { ...(threadId !== undefined && { threadId }), ...(signal && { signal }) }
        await typing.call(about, chatId, at().api, { ...at().context, ...more })
      }
  }

  missing(): string | undefined {
    const { needs, addressFrom } = this.#about
    const names = needs.filter((variable) => this.#secret(variable) === '')
    const all = addressFrom !== undefined && this.#address() === '' ? [addressFrom, ...names] : names
    return all.length > 0 ? `needs ${all.join(' and ')}` : undefined
  }

  account(): string | undefined {
    const { needs, accountFrom = needs.slice(0, 1), addressFrom } = this.#about
    const secrets = accountFrom.map((name) => this.#secret(name))
    if (secrets.length === 0 || secrets.includes('')) return undefined
    return [...(addressFrom === undefined ? [] : [this.#address()]), ...secrets].join(' ')
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    const api = this.#createApi(link)
    const me = await this.#about.identify(api, this.#context()).catch((error: unknown) => {
      throw toConnectError(this.label, error)
    })
    link.signal.throwIfAborted()
    const abort = new AbortController()
    const signal = AbortSignal.any([abort.signal, link.signal])
    const connection = { link, me, api, signal, context: { ...this.#context(), me } }
    const stop = await this.#openIntake(connection).catch((error: unknown) => {
      abort.abort()
      throw error
    })
    const end = async () => {
      abort.abort()
      await stop()
    }
    if (link.signal.aborted) await end()
    link.signal.throwIfAborted()
    this.#open = { ...connection, end }
    link.signal.addEventListener('abort', () => void this.close(), { once: true })
    link.alive()
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { api, link, context } = this.#connected()
    const { maxTextLength, measure } = this.limits
    if (measureText(message.text, measure) > maxTextLength)
      throw deliveryRefused('PLATFORM_TOO_LONG', `${this.label} takes ${maxTextLength} characters in one message.`)
    const receipt = await this.#about.send(message, api, context)
    link.alive()
    return receipt
  }

  async probe(): Promise<boolean> {
    const open = this.#open
    if (!open) return false
    return this.#about.identify(open.api, open.context).then(
      () => {
        open.link.alive()
        return true
      },
      () => false,
    )
  }

  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    await open?.end()
  }

  /** Also without a connection, which it does not make. */
  async #identified(): Promise<ConnectedContext<Me, Settings>> {
    if (this.#open) return this.#open.context
    const context = this.#context()
    const me = await this.#about.identify(this.#createApi(), context).catch((error: unknown) => {
      throw toConnectError(this.label, error)
    })
    return { ...context, me }
  }

  #context(): PlatformContext<Settings> {
    const { clock, net, random } = this.#deps
    return {
      ...{ settings: this.settings, clock: clock(), net: net(), random: random(), address: this.#address() },
      secret: (name) => this.#secret(name),
    }
  }

  #address(): string {
    const { addressFrom, baseUrl } = this.#about
    const given = addressFrom === undefined ? '' : this.#secret(addressFrom)
    return (given || this.settings.base_url || baseUrl).replace(/\/+$/, '')
  }

  #secret(name: string): string {
    return this.#deps.secrets().get(name) ?? ''
  }

  #connected(): OpenConnection<Me, Settings> {
    if (this.#open) return this.#open
    throw deliveryBusy('PLATFORM_NOT_CONNECTED', `${this.label} is not connected.`)
  }

  #createApi(link?: GatewayConnection): PlatformApi {
    const { net, clock, random } = this.#deps
    return new PlatformApi({
      ...{ label: this.label, baseUrl: this.#address(), net, clock, random },
      ...this.#about.api(this.#context()),
      onLogOut: ({ message }) => link?.lost(message, { final: true, code: `${this.name}_unauthorized` }),
    })
  }
}

function measureText(text: string, measure: PlatformLimits['measure'] = 'utf16'): number {
  if (measure === 'bytes') return Buffer.byteLength(text)
  return measure === 'codepoints' ? [...text].length : text.length
}
