/** The gateway: platforms on one side, chats on the other, and between them what is on disk. */
import { Clock, createTranslator, Home, type PluginContext, Random, Secrets, SvcError } from 'svc/sdk'
import { PlatformChanged } from 'svc/sdk/hooks'
import { Commands, Plugins } from 'svc/sdk/host'
import { waitAtMost } from 'svc/sdk/kit/async'
import {
  deliveryBusy,
  type Gateway,
  type GatewayChat,
  type GatewayStatus,
  type InboundMessage,
  type InboundResult,
  Outbox,
  type Platform,
  type PlatformStatus,
  Platforms,
} from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { Traces } from 'svc/sdk/sessions'
import { SharedScopes } from 'svc/sdk/store'
import { AccountHolds } from './account-holds.ts'
import { admit, MAX_TEXT } from './admission.ts'
import { ChatRegistry } from './chat-registry.ts'
import { CommandMenus } from './command-menus.ts'
import type { Config } from './config.ts'
import { Connection } from './connection.ts'
import { Connections } from './connections.ts'
import { type Braked, findLoop } from './loop-detection.ts'
import { findChat, moveSession } from './moving.ts'
import { isObserved, redact } from './overheard-messages.ts'
import { recover } from './recovery.ts'
import { getChatKey } from './session-keys.ts'
import type { GatewayStore, InboxRow } from './store.ts'

/** What leaves at the very end. */
const LAST_SENDS_MS = 5000
const FOR_EVER_MS = Number.MAX_SAFE_INTEGER / 4

/** Contract: `Gateway` of the SDK. */
export class MessageGateway implements Gateway {
  readonly #ctx: PluginContext<Config>
  readonly #store: GatewayStore
  readonly #chats: ChatRegistry
  readonly #connections: Connections
  readonly #holds: AccountHolds
  readonly #menus: CommandMenus
  #state: GatewayStatus['state'] = 'stopped'
  #startedAt = 0
  #drain: { readonly at: number; readonly isQuiet: boolean } | undefined

  constructor(ctx: PluginContext<Config>, store: GatewayStore) {
    this.#ctx = ctx
    this.#store = store
    this.#chats = new ChatRegistry(ctx, store, () => this.#drain)
    const platforms = ctx.all(Platforms)
    this.#connections = new Connections({
      log: ctx.log,
      platforms: () => platforms.all(),
      make: (platform) => this.#connection(platform),
      added: ({ name }) => {
        if (!this.#isShared) recover(ctx, store, this.#chats, name)
      },
    })
    this.#holds = new AccountHolds({
      ctx,
      taken: ({ name }) => recover(ctx, store, this.#chats, name),
      lost: ({ name }) => this.#chats.leave(name),
    })
    platforms.onChange(() => this.#connections.follow())
    this.#menus = new CommandMenus({
      ...{ log: ctx.log, clock: () => ctx.use(Clock), commands: () => ctx.find(Commands) },
    })
    const unfollow = ctx.find(Commands)?.onChange(() => this.#menus.changed())
    if (unfollow) ctx.defer(unfollow)
  }

  get isDraining(): boolean {
    return this.#state === 'draining' || (this.#drain !== undefined && this.#state === 'running')
  }

  status(): GatewayStatus {
    const platforms = this.#connections.status()
    const isWell = platforms.some(({ state }) => state === 'connected')
    const hasTrouble = platforms.some(
      ({ state }) => state !== 'connected' && state !== 'disabled' && state !== 'paused',
    )
    const state = this.#state === 'running' && (hasTrouble || !isWell) ? 'degraded' : this.#state
    return {
      state: this.isDraining ? 'draining' : state,
      ...(this.#drain && { drainedAt: this.#drain.at }),
      pid: process.pid,
      startedAt: this.#startedAt,
      version: this.#ctx.use(Plugins).info(this.#ctx.name)?.manifest.version ?? '',
      platforms,
      conversations: this.#chats.size,
      busy: this.#chats.busy,
      inbox: this.#store.counts(),
      outbox: this.#ctx.use(Outbox).counts(),
    }
  }

  async start(): Promise<void> {
    if (this.#state !== 'stopped') return
    this.#state = 'starting'
    this.#startedAt = this.#now()
    const doors = this.#ctx.use(Access).openDoors()
    if (doors.length > 0) {
      this.#state = 'stopped'
      throw new SvcError('GATEWAY_OPEN_DOOR', `Nothing was connected. ${doors.join(' ')}`, { exposes: true })
    }
    this.#store.prune()
    this.#state = 'running'
    // Where others share the tables, the messages of a platform are only known once its account was taken.
    if (!this.#isShared) recover(this.#ctx, this.#store, this.#chats)
    await this.#connections.open()
  }

  async stop({ drainMs = 0 }: { readonly drainMs?: number } = {}): Promise<void> {
    if (this.#state === 'stopped') return
    this.#state = 'draining'
    if (drainMs > 0) await this.#within(drainMs, this.#chats.idle())
    await this.#chats.stop()
    await this.#within(Math.min(drainMs, LAST_SENDS_MS), this.#ctx.use(Outbox).idle())
    await this.#connections.close()
    await this.#holds.release()
    this.#menus.close()
    this.#state = 'stopped'
  }

  drain({ isQuiet = false }: Parameters<Gateway['drain']>[0] = {}): void {
    this.#drain = { at: this.#drain?.at ?? this.#now(), isQuiet }
  }

  cancelDrain(): void {
    this.#drain = undefined
    this.#chats.release()
  }

  findChat(session: string, when?: 'now' | 'last'): GatewayChat | undefined {
    return findChat({ store: this.#store }, session, when)
  }

  moveSession(session: string, to: Parameters<Gateway['moveSession']>[1]): void {
    const deps = { ctx: this.#ctx, store: this.#store, chats: this.#chats, status: () => this.#connections.status() }
    moveSession(deps, session, to)
  }

  async pause(name: string): Promise<void> {
    await this.#connections.find(name).pause()
  }

  async resume(name: string): Promise<void> {
    await this.#connections.find(name).resume()
  }

  async idle(): Promise<void> {
    await this.#chats.idle()
    await this.#ctx.use(Outbox).idle()
  }

  /** Something is to be said in a session: its chat is opened. */
  open(session: string): void {
    if (this.#state === 'running') this.#chats.open(session)
  }

  /** Waits for the work, so long at most; no timer stays behind. */
  async #within(ms: number, work: Promise<void>): Promise<void> {
    await waitAtMost(this.#ctx.use(Clock), ms, work)
  }

  #connection(platform: Platform): Connection {
    const ctx = this.#ctx
    return new Connection(platform, {
      clock: ctx.use(Clock),
      log: ctx.log,
      owner: () => ctx.all(Platforms).owner(platform.name),
      connectMs: ctx.config.connect_seconds * 1000,
      hold: (held) => this.#holds.take(held),
      receive: async (message) => {
        const result = this.#receive(platform, message)
        // Before the platform may forget it, another gateway must be able to answer it.
        if (this.#isShared) await this.#store.synced(platform.name)
        return result
      },
      cursor: (name, account) => this.#store.cursor(name, account),
      opened: (open) => {
        const reactions = this.#chats.reactions.on(open)
        const ends = [ctx.use(Outbox).serve(open), this.#menus.opened(open), reactions.opened()]
        return async () => {
          for (const end of ends) await end()
        }
      },
      changed: (status) => this.#changed(status),
      mask: (text) => ctx.use(Secrets).mask(text),
    })
  }

  get #isShared(): boolean {
    return this.#ctx.find(SharedScopes)?.isShared === true
  }

  #changed(status: PlatformStatus): void {
    const { name, state, reason } = status
    const isBad = state === 'fatal' || state === 'retrying' || state === 'degraded'
    this.#ctx.log[isBad ? 'warn' : 'info'](`${name} is ${state}`, reason === undefined ? {} : { reason })
    void this.#ctx.call(PlatformChanged, status)
  }

  /** On disk first; the platform may acknowledge it when this returns. Rejects when it could not be kept. */
  #receive(platform: Platform, given: InboundMessage): InboundResult {
    const ctx = this.#ctx
    if (this.#state !== 'running') throw deliveryBusy('GATEWAY_DRAINING', 'The gateway stops and takes nothing new.')
    // Whose plugin was switched off or replaced: not acknowledged, so its service brings the message again.
    if (ctx.all(Platforms).get(platform.name) !== platform)
      throw deliveryBusy('GATEWAY_DRAINING', `${platform.label} was withdrawn; this connection takes nothing new.`)
    const text = given.text.length > MAX_TEXT ? `${given.text.slice(0, MAX_TEXT)}\n[cut]` : given.text
    const message: InboundMessage = { ...given, platform: platform.name, text }
    const windowMs = platform.limits.duplicateWindowMs ?? FOR_EVER_MS
    const trace = `m${ctx.use(Random).hex(6)}`
    const talk = getChatKey(message, ctx.use(Home).profile, platform.settings)
    const hasBinding = () => this.#store.findBinding(talk) !== undefined
    const admission = admit(platform, message, { access: ctx.use(Access), hasBinding })
    const at = this.#now()
    const braked =
      admission.state === 'waiting' ? findLoop({ platform, message, talk, at }, this.#store, ctx.config) : undefined
    const state = braked === undefined ? admission.state : 'parked'
    const row = this.#store.add(message, { trace, talk, state, at, windowMs })
    if (!row) {
      this.#note(
        this.#store.findTrace(message) ?? trace,
        'duplicate',
        'the platform delivered it again; nothing was done',
      )
      return { outcome: 'duplicate' }
    }
    const ids = [message.messageId, `${platform.name}:${message.messageId}`]
    this.#note(trace, 'received', `from ${platform.name}:${message.chatId}`, ids)
    if (braked !== undefined) return this.#brake(message, trace, braked)
    this.#note(trace, admission.state === 'waiting' ? 'admitted' : admission.state, admission.rule)
    if (admission.state === 'waiting') return this.#admitted(row, platform)
    if (admission.isOverheard && isObserved(platform, message.chatId))
      this.#store.overhear({ ...message, text: redact(ctx, message.text) }, at)
    if (admission.verdict?.reply === 'pair') this.#offerPairing(message, trace)
    return { outcome: admission.state }
  }

  #admitted(row: InboxRow, platform: Platform): InboundResult {
    const { message } = row
    const { chatId, threadId, chatName, userName, userId } = message
    const name = chatName ?? userName ?? userId
    const label = `${platform.label}, ${name}${threadId === undefined ? '' : ` (${threadId})`}`
    if (!platform.isEvents)
      this.#ctx
        .use(Outbox)
        .know({ platform: platform.name, chatId, ...(threadId !== undefined && { threadId }), label })
    return this.#chats.accept(row, platform)
  }

  /** The chat is notified once: replying to each message would sustain the loop. */
  #brake(message: InboundMessage, trace: string, braked: Braked): InboundResult {
    const { platform, chatId, threadId } = message
    this.#note(trace, 'braked', 'too many messages came in a short time, as between two programs; it is not answered')
    if (braked === 'silent') return { outcome: 'ignored' }
    const { log, config } = this.#ctx
    log.warn('a chat is not answered for a while: too many messages', { platform, minutes: config.loop_minutes })
    const t = createTranslator(this.#ctx)
    const text = t(
      'Too many messages came in a short time, so I do not answer here until it has been quiet for a while.',
    )
    const place = { platform, chatId, ...(threadId !== undefined && { threadId }) }
    this.#ctx.use(Outbox).post({ ...place, text, key: `brake:${trace}`, trace })
    return { outcome: 'ignored' }
  }

  #offerPairing(message: InboundMessage, trace: string): void {
    const offer = this.#ctx.use(Access).requestPairing(message, message.userName)
    if (!offer) return
    const t = createTranslator(this.#ctx)
    const command = `svc pairing approve ${message.platform} ${offer.code}`
    const text = `${t('I do not know you yet. My owner can let you in with this command, within an hour:')}\n\n\`${command}\``
    const { platform, chatId } = message
    this.#ctx.use(Outbox).post({ platform, chatId, text, key: `pair:${trace}`, trace })
    this.#note(trace, 'pairing', 'a code was offered')
  }

  #note(trace: string, stage: string, text: string, also?: readonly string[]): void {
    this.#ctx.find(Traces)?.note(trace, stage, text, also)
  }

  #now(): number {
    return this.#ctx.use(Clock).now()
  }
}
