/** One platform: connected, watched, and connected again when it is lost. */
import { type Clock, type Dispose, errorCode, errorMessage, type Logger, logFault, SvcError } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import { isContact } from 'svc/sdk/kit/net'
import {
  classifyDeliveryError,
  deliveryBusy,
  type GatewayConnection,
  type InboundMessage,
  type InboundResult,
  type Platform,
  type PlatformState,
  type PlatformStatus,
  type ReadCursor,
} from 'svc/sdk/platform'
import { type Lock, takeLock } from './account-locks.ts'

export interface ConnectionDeps {
  readonly clock: Clock
  readonly log: Logger
  /** The plugin of the platform. */
  owner(): string | undefined
  readonly connectMs: number
  receive(message: InboundMessage): Promise<InboundResult>
  cursor(platform: string, account: string): ReadCursor
  /** It is connected: messages may leave. The returned function is called when it is not any more. */
  opened(platform: Platform): Dispose
  /**
   * Takes the account for this gateway where other machines share its tables. The signal is aborted when it is lost. Throws
   * `SCOPE_HELD` while another gateway has it.
   */
  hold(platform: Platform): Promise<AbortSignal | undefined>
  changed(status: PlatformStatus): void
  mask(text: string): string
}

/** Waits between attempts; the last one is repeated. */
const WAITS_MS = [2000, 5000, 10_000, 30_000, 60_000, 120_000, 300_000]
const PROBE_EVERY_MS = 20_000
const PROBE_LIMIT_MS = 15_000
/** Silence after which a connection is degraded, then replaced. */
const DEGRADED_MS = 45_000
const LOST_MS = 90_000
const CLOSE_LIMIT_MS = 5000
const CONTACT_LIMIT_MS = 15_000
/** A connection that lasted this long was good: the backoff is reset. */
const STABLE_MS = 60_000
/** How often is looked whether the account of another gateway is free. */
const STAND_BY_MS = 2000

export class Connection {
  readonly platform: Platform
  readonly #deps: ConnectionDeps
  #state: PlatformState = 'disabled'
  #code: string | undefined
  #reason: string | undefined
  #since: number
  #attempts = 0
  #retryAt: number | undefined
  #aliveAt: number | undefined
  #contact: string | undefined
  #link: AbortController | undefined
  #served: Dispose | undefined
  #lock: Lock | undefined
  #timer: Dispose | undefined

  constructor(platform: Platform, deps: ConnectionDeps) {
    this.platform = platform
    this.#deps = deps
    this.#since = deps.clock.now()
  }

  status(): PlatformStatus {
    const { name, label } = this.platform
    return {
      name,
      label,
      state: this.#state,
      ...(this.#code !== undefined && { code: this.#code }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
      attempts: this.#attempts,
      since: this.#since,
      ...(this.#retryAt !== undefined && { retryAt: this.#retryAt }),
      ...(this.#aliveAt !== undefined && { aliveAt: this.#aliveAt }),
      ...(this.#contact !== undefined && { contact: this.#contact }),
    }
  }

  get isConnected(): boolean {
    return this.#state === 'connected' || this.#state === 'degraded'
  }

  /** Connects, unless it is switched off or something is missing. Never throws: what is wrong is its state. */
  open(): Promise<void> {
    return this.#open('connecting')
  }

  async #open(as: 'connecting' | 'retrying'): Promise<void> {
    const { platform } = this
    if (this.#link) return
    if (platform.settings?.enabled === false) return this.#enter('disabled', 'It is switched off in config.yaml.')
    const missing = platform.missing?.()
    if (missing !== undefined) return this.#enter('disabled', missing)
    this.#retryAt = undefined
    if (as === 'connecting') this.#enter('connecting')
    const link = new AbortController()
    this.#link = link
    try {
      await this.#hold(link)
      if (link.signal.aborted) return
      await this.#takeAccount()
      if (link.signal.aborted) return
      await this.#within(this.#deps.connectMs, 'GATEWAY_CONNECT_TIMEOUT', () =>
        platform.connect(this.#createLink(link)),
      )
      if (link.signal.aborted) return
      this.#alive()
      this.#enter('connected')
      this.#served = this.#deps.opened(platform)
      this.#watch(link)
      void this.#findContact(link)
    } catch (error) {
      if (link.signal.aborted) return
      if (errorCode(error) === 'SCOPE_HELD') return await this.#standBy(errorMessage(error))
      logFault(this.#deps.log, `${this.platform.name} could not connect`, error, this.#deps.owner())
      await this.#end()
      if (classifyDeliveryError(error).kind === 'refused') this.#enter('fatal', errorMessage(error), errorCode(error))
      else this.#again(errorMessage(error), errorCode(error))
    }
  }

  /** A person wants it off until `resume`. */
  async pause(): Promise<void> {
    await this.#end()
    this.#enter('paused', 'It was paused. /platform resume connects it again.')
  }

  async resume(): Promise<void> {
    await this.#end()
    this.#attempts = 0
    await this.open()
  }

  async close(): Promise<void> {
    await this.#end()
    this.#enter('disabled', 'The gateway has stopped.')
  }

  #createLink(link: AbortController): GatewayConnection {
    return {
      signal: link.signal,
      alive: () => this.#alive(),
      receive: async (message) => {
        if (link.signal.aborted)
          throw deliveryBusy('GATEWAY_DRAINING', 'The connection was closed; nothing new is taken.')
        this.#alive()
        return this.#deps.receive({ ...message, platform: this.platform.name })
      },
      cursor: (account) => {
        const cursor = this.#deps.cursor(this.platform.name, account)
        // What a connection says after its end may be older than what the next one has read.
        return { get: () => cursor.get(), set: (value) => link.signal.aborted || cursor.set(value) }
      },
      lost: (reason, { final, code } = {}) => {
        if (link.signal.aborted) return
        void this.#lost(reason, final ? (code ?? 'PLATFORM_LOST') : undefined)
      },
    }
  }

  async #lost(reason: string, fatal: string | undefined): Promise<void> {
    const lasted = this.#deps.clock.now() - this.#since
    if (this.#state === 'connected' && lasted > STABLE_MS) this.#attempts = 0
    await this.#end()
    if (fatal === undefined) this.#again(reason)
    else this.#enter('fatal', reason, fatal)
  }

  #again(reason: string, code?: string): void {
    const { clock } = this.#deps
    const wait = WAITS_MS[Math.min(this.#attempts, WAITS_MS.length - 1)] as number
    this.#attempts++
    this.#retryAt = clock.now() + wait
    this.#enter('retrying', reason, code)
    this.#timer = clock.after(wait, () => void this.open(), { background: true })
  }

  #watch(link: AbortController): void {
    const { clock } = this.#deps
    const look = async () => {
      const silent = clock.now() - (this.#aliveAt ?? 0)
      if (silent >= PROBE_EVERY_MS) await this.#probe()
      if (link.signal.aborted) return
      this.#judge(clock.now() - (this.#aliveAt ?? 0))
      if (!link.signal.aborted) this.#timer = clock.after(PROBE_EVERY_MS / 2, () => void look(), { background: true })
    }
    this.#timer = clock.after(PROBE_EVERY_MS / 2, () => void look(), { background: true })
  }

  async #probe(): Promise<void> {
    const answer = this.#within(PROBE_LIMIT_MS, 'GATEWAY_CONNECT_TIMEOUT', (signal) => this.platform.probe(signal))
    if (await answer.catch(() => false)) this.#alive()
  }

  #judge(silentMs: number): void {
    const seconds = Math.round(silentMs / 1000)
    if (silentMs >= LOST_MS) void this.#lost(`${this.platform.label} has been silent for ${seconds} s.`, undefined)
    else if (silentMs >= DEGRADED_MS && this.#state === 'connected')
      this.#enter('degraded', `${this.platform.label} has been silent for ${seconds} s.`)
  }

  #alive(): void {
    this.#aliveAt = this.#deps.clock.now()
    if (this.#state === 'degraded') this.#enter('connected')
  }

  /** Runs after the connection is up, and is not waited for: the platform works without a contact. */
  async #findContact(link: AbortController): Promise<void> {
    const { platform } = this
    if (!platform.contact) return
    const { log, owner, mask } = this.#deps
    try {
      const found = await this.#within(CONTACT_LIMIT_MS, 'GATEWAY_CONNECT_TIMEOUT', async (signal) =>
        platform.contact?.(signal),
      )
      // It is shown to people and stored: an address with a secret would give the account away.
      const contact = found !== undefined && isContact(found) && mask(found) === found ? found : undefined
      if (found !== contact) log.warn('the contact of a platform is no address, or holds a secret: it is not shown')
      if (!link.signal.aborted) this.#contact = contact
    } catch (error) {
      logFault(log, `the contact of ${platform.name} is not known`, error, owner())
    }
  }

  /** Another gateway has the account: this one takes over when that one has ended. */
  async #standBy(reason: string): Promise<void> {
    await this.#end()
    const { label } = this.platform
    this.#enter('retrying', `Another gateway is connected to ${label}. ${reason}`, 'GATEWAY_STANDS_BY')
    this.#timer = this.#deps.clock.after(STAND_BY_MS, () => void this.#open('retrying'), { background: true })
  }

  async #hold(link: AbortController): Promise<void> {
    const signal = await this.#deps.hold(this.platform)
    const lose = () => {
      if (!link.signal.aborted) void this.#lost('Another gateway may have taken the account over.', undefined)
    }
    if (signal?.aborted) lose()
    else signal?.addEventListener('abort', lose, { once: true, signal: link.signal })
  }

  async #takeAccount(): Promise<void> {
    const { platform } = this
    const account = platform.account?.()
    if (account === undefined) return
    const lock = await takeLock([platform.name, account, ...listAddresses(platform)].join('\n'))
    if (!lock) {
      const text = `Another process of this machine uses this account of ${platform.label}. Stop one of the two.`
      throw deliveryBusy('GATEWAY_ACCOUNT_TAKEN', text)
    }
    this.#lock = lock
  }

  /** Undoes all that `open` did. */
  async #end(): Promise<void> {
    void this.#timer?.()
    this.#timer = undefined
    const link = this.#link
    this.#link = undefined
    void this.#served?.()
    this.#served = undefined
    if (!link) return
    link.abort()
    await this.#within(CLOSE_LIMIT_MS, 'GATEWAY_CONNECT_TIMEOUT', () => this.platform.close()).catch(
      (error: unknown) => {
        this.#deps.log.warn('a platform did not close', { platform: this.platform.name, error })
      },
    )
    await this.#lock?.release()
    this.#lock = undefined
  }

  #enter(state: PlatformState, reason?: string, code?: string): void {
    const isNew = state !== this.#state || reason !== this.#reason
    this.#state = state
    this.#reason = reason === undefined ? undefined : this.#deps.mask(reason)
    // Status codes are the codes of errors in lower case, whichever code sets them.
    this.#code = code?.toLowerCase()
    if (!isNew) return
    this.#since = this.#deps.clock.now()
    if (state === 'connected') this.#retryAt = undefined
    this.#deps.changed(this.status())
  }

  #within<T>(ms: number, code: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const message = `${this.platform.label} did not answer within ${Math.round(ms / 1000)} s.`
    return withDeadline(this.#deps.clock, ms, work, () => new SvcError(code, message), { background: true })
  }
}

/** Where the service is: the same name of an account on another server is another account. */
function listAddresses({ settings = {} }: { readonly settings?: object }): readonly string[] {
  return Object.values(settings).filter((value) => typeof value === 'string' && /^(https?|wss?):/.test(value))
}
