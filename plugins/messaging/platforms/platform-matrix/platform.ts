/** Matrix as a platform (spec.matrix.org/latest/client-server-api): one account and its rooms. */
import {
  type Clock,
  errorCode,
  errorMessage,
  type Logger,
  type Net,
  type Random,
  type Secrets,
  SvcError,
} from 'svc/sdk'
import {
  beforeSending,
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type MessageButton,
  type MessageReaction,
  type OutboundMessage,
  type OutboundMessageEdit,
  type Platform,
  type PlatformLimits,
  type ReadCursor,
  type SendReceipt,
} from 'svc/sdk/platform'
import { type Credentials, logIn, missingCredentials, type Self } from './account.ts'
import { isLoggedOut, MatrixApi } from './api.ts'
import type { Config } from './config.ts'
import type { Encryption } from './encryption/encryption.ts'
import type { RoomEvent } from './events.ts'
import { markup } from './markup.ts'
import type { Reactions } from './reactions.ts'
import { roomPath } from './room-path.ts'
import { readPlace } from './sync-cursor.ts'

const PROBE_MS = 10_000
const TYPING_MS = 15_000

const limits: PlatformLimits = {
  maxTextLength: 4000,
  // The transaction id of a send: the server answers a repeated one with the first event.
  idempotency: 'key',
  buttons: 10,
  threadTalks: true,
  toolProgress: 'new',
  markup,
  // Homeservers set their own rates and say how long to wait; Synapse counts an edit as a message.
  editEveryMs: 2000,
  files: 104_857_600,
  voice: ['opus', 'mp3', 'wav'],
  commandPrefix: '!',
}

export interface MatrixDeps {
  readonly config: Config
  readonly log: Logger
  readonly clock: () => Clock
  readonly random: () => Random
  readonly net: () => Net
  readonly secrets: () => Secrets
  homeserver(): string
  credentials(): Credentials
  /** Whether to follow an invitation of this user. */
  mayInvite(userId: string): boolean
  /** Where the keys of devices are stored. */
  readonly keysFolder: string
}

/** A connection that is open. */
interface Open {
  readonly api: MatrixApi
  readonly self: Self
  readonly encryption: Encryption
  readonly link: GatewayConnection
  readonly end: AbortController
}

export class MatrixPlatform implements Platform {
  readonly name = 'matrix'
  readonly label = 'Matrix'
  readonly limits = limits
  readonly settings: Config
  readonly access = {
    users: 'MATRIX_ALLOWED_USERS',
    chats: 'MATRIX_ALLOWED_ROOMS',
    everyone: 'MATRIX_ALLOW_ALL_USERS',
    home: 'MATRIX_HOME_ROOM',
  }
  readonly #deps: MatrixDeps
  #open: Open | undefined
  #reactions: Reactions | undefined
  /** Outlives connections: a token that a password has brought is used until it ends. */
  #api: MatrixApi | undefined
  /** Until the keys of the last connection are closed. */
  #closing: Promise<unknown> = Promise.resolve()

  constructor(deps: MatrixDeps) {
    this.#deps = deps
    this.settings = deps.config
  }

  missing(): string | undefined {
    const homeserver = this.#deps.homeserver()
    if (homeserver === '') return 'Neither platforms.matrix.homeserver nor MATRIX_HOMESERVER is set.'
    if (!/^https?:\/\//.test(homeserver)) return 'The homeserver must be an address that begins with https://.'
    return missingCredentials(this.#deps.credentials())
  }

  /** spec.matrix.org/latest/appendices/#matrixto-navigation. No device is made for it. */
  async contact(signal?: AbortSignal): Promise<string | undefined> {
    const userId = this.#open?.self.userId ?? (await this.#askUser(signal))
    return userId && /^@[^:]+:.+$/.test(userId) ? `https://matrix.to/#/${encodeURIComponent(userId)}` : undefined
  }

  /** Whose account it is, without a connection: what is set, else whose token it is. */
  async #askUser(signal: AbortSignal | undefined): Promise<string | undefined> {
    const { token, userId } = this.#deps.credentials()
    if (!token) return userId
    const { net, secrets } = this.#deps
    const api = new MatrixApi({ homeserver: this.#deps.homeserver(), net, secrets })
    api.token = token
    const who = await api.ask({ path: '/client/v3/account/whoami', ...(signal && { signal }) })
    return typeof who['user_id'] === 'string' ? who['user_id'] : undefined
  }

  account(): string | undefined {
    const { token, userId } = this.#deps.credentials()
    return token ?? userId
  }

  async connect(link: GatewayConnection): Promise<void> {
    const missing = this.missing()
    if (missing) throw deliveryRefused('MATRIX_UNAUTHORIZED', missing)
    const homeserver = this.#deps.homeserver()
    const { net, secrets } = this.#deps
    const credentials = this.#deps.credentials()
    this.#api ??= new MatrixApi({ homeserver, net, secrets })
    const api = this.#api
    const end = new AbortController()
    link.signal.addEventListener('abort', () => end.abort(), { once: true })
    const openCursor = (userId: string) => link.cursor(`${homeserver} ${userId}`)
    const lastDevice = readPlace(openCursor(credentials.userId ?? '').get())?.deviceId
    await this.#closing
    const { self, encryption } = await this.#logIn(api, credentials, { link, end, lastDevice })
    const open = { api, self, encryption, link, end }
    this.#open = open
    end.signal.addEventListener('abort', () => this.#shut(encryption), { once: true })
    if (end.signal.aborted) this.#shut(encryption)
    end.signal.throwIfAborted()
    link.alive()
    await this.#read(open, openCursor(self.userId))
  }

  /** A password can make a new device when the keys of the last one are gone; a token cannot. */
  async #logIn(
    api: MatrixApi,
    credentials: Credentials,
    { link, end, lastDevice }: Pick<Open, 'link' | 'end'> & { readonly lastDevice: string | undefined },
  ): Promise<Pick<Open, 'self' | 'encryption'>> {
    const { openEncryption } = await import('./encryption/open.ts')
    const begin = async (device: string | undefined) => {
      const self = await logIn(api, credentials, device)
      const { secrets, log, keysFolder: folder } = this.#deps
      const { encryption: mode, encryption_devices: devices } = this.settings
      const account = `${this.#deps.homeserver()} ${self.userId}`
      const { password, recoveryKey } = credentials
      const rules = { mode, isStrict: devices === 'cross_signed', password, recoveryKey }
      const deps = { api, self, link, account, folder, secrets: secrets(), log, signal: end.signal }
      return { self, encryption: await openEncryption({ ...deps, ...rules }) }
    }
    try {
      return await begin(lastDevice)
    } catch (error) {
      const isFixed = credentials.token !== undefined || credentials.deviceId !== undefined
      if (errorCode(error) !== 'MATRIX_DEVICE_TAKEN' || isFixed) throw error
      this.#deps.log.warn('The keys of the last Matrix device are gone: svc logs in as a new one.', { error })
      api.token = undefined
      return begin(undefined)
    }
  }

  #shut({ device }: Encryption): void {
    const shut = device?.close().catch((error: unknown) => this.#deps.log.warn('keys could not be closed', { error }))
    this.#closing = Promise.all([this.#closing, shut])
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { api, encryption } = this.#connection()
    const [{ createContent }, { upload }] = await Promise.all([import('./outbound.ts'), import('./media.ts')])
    const [file] = message.files ?? []
    const isEncrypted = (await this.#said(encryption.check(message.chatId))) !== undefined
    const uploaded = file && (await this.#said(beforeSending(upload(api, file, isEncrypted))))
    const content = createContent(message, uploaded)
    const messageId = await this.#put(message.chatId, message.key, content)
    if (message.buttons?.length) void this.#offer(message.chatId, messageId, message.buttons)
    return { messageId }
  }

  /** So that a choice is one tap; without it people can react all the same. */
  async #offer(roomId: string, messageId: string, buttons: readonly MessageButton[]): Promise<void> {
    const { api, end, encryption } = this.#connection()
    if (encryption.mode === 'required') return
    const [{ createChoices }, { annotation }] = await Promise.all([import('./choices.ts'), import('./reactions.ts')])
    for (const { emoji } of createChoices(buttons)) {
      const { path, body } = annotation(roomId, messageId, emoji)
      const asked = api.ask({ method: 'PUT', path, body, signal: end.signal })
      await asked.catch((error: unknown) => this.#deps.log.debug('a choice was not offered', { error }))
    }
  }

  async edit(edit: OutboundMessageEdit): Promise<void> {
    const { editContent } = await import('./outbound.ts')
    await this.#put(edit.chatId, this.#deps.random().uuid(), editContent(edit))
  }

  async typing(chatId: string): Promise<void> {
    const { api, self } = this.#connection()
    const path = `${roomPath(chatId)}/typing/${encodeURIComponent(self.userId)}`
    await this.#said(api.ask({ method: 'PUT', path, body: { typing: true, timeout: TYPING_MS } }))
  }

  async react(reaction: MessageReaction): Promise<void> {
    const { Reactions } = await import('./reactions.ts')
    this.#reactions ??= new Reactions((path, body) => {
      const { api } = this.#connection()
      return this.#said(api.ask({ method: 'PUT', path, body }))
    })
    await this.#reactions.set(reaction)
  }

  async fetch(
    file: InboundFile,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const { api } = this.#connection()
    const { download } = await import('./media.ts')
    return this.#said(download(api, file, options))
  }

  async probe(): Promise<boolean> {
    const open = this.#open
    if (!open || open.end.signal.aborted) return false
    const who = open.api.ask({ path: '/client/v3/account/whoami', timeoutMs: PROBE_MS, signal: open.end.signal })
    return this.#said(who).then(
      () => true,
      () => false,
    )
  }

  async close(): Promise<void> {
    if (this.#open) this.#end(this.#open)
    await this.#closing
  }

  #end(open: Open): void {
    if (this.#open === open) this.#open = undefined
    open.end.abort()
  }

  #connection(): Open {
    if (this.#open && !this.#open.end.signal.aborted) return this.#open
    throw deliveryBusy('MATRIX_CLOSED', 'Matrix is not connected. It is tried again once it is.')
  }

  async #put(chatId: string, key: string, content: object): Promise<string> {
    const { api, encryption } = this.#connection()
    const sealed = await this.#said(encryption.seal(chatId, 'm.room.message', content))
    const path = `${roomPath(chatId)}/send/${sealed.type}/${encodeURIComponent(key)}`
    const { event_id: id } = await this.#said(api.ask({ method: 'PUT', path, body: sealed.content }))
    if (typeof id === 'string') return id
    throw new SvcError('MATRIX_FAILED', 'The homeserver took a message and did not say which it is.')
  }

  /** Passes on an answer, and tells of a token that ended. */
  async #said<T>(answer: Promise<T>): Promise<T> {
    const open = this.#open
    try {
      return await answer
    } catch (error) {
      if (open && isLoggedOut(error)) this.#lost(open, error)
      throw error
    }
  }

  async #read(open: Open, cursor: ReadCursor): Promise<void> {
    const [{ Reader }, { Rooms }, { Upkeep }, { Unsealing }, { WaitingEvents }] = await Promise.all([
      import('./reader.ts'),
      import('./rooms.ts'),
      import('./upkeep.ts'),
      import('./unsealing.ts'),
      import('./encryption/waiting.ts'),
    ])
    const { api, self, encryption, link, end } = open
    const { clock, log, mayInvite } = this.#deps
    const tell = (roomId: string, body: string, key: string) => this.#put(roomId, key, { msgtype: 'm.notice', body })
    const upkeep = new Upkeep({ api, log, signal: end.signal, isKnown: mayInvite, tell })
    const waiting = new WaitingEvents(link.cursor(`${this.#deps.homeserver()} ${self.userId} waiting`))
    const unsealing = new Unsealing({ self, encryption, waiting, upkeep, clock: clock(), log })
    const openEvent = async (roomId: string, event: RoomEvent) => {
      if (event.type !== 'm.room.encrypted') return event
      const result = await encryption.unseal(roomId, event)
      return 'event' in result ? result.event : undefined
    }
    const reader = new Reader({
      api,
      self,
      link,
      log,
      mayInvite,
      upkeep,
      unsealing,
      device: encryption.device,
      rooms: new Rooms(api, openEvent),
      beginsThread: (roomId) => this.settings.auto_thread && !this.settings.free_response_chats.includes(roomId),
      clock: clock(),
      signal: end.signal,
      keep: (since) => cursor.set(JSON.stringify({ since, deviceId: self.deviceId })),
      taken: (roomId, eventId) => this.#markRead(open, roomId, eventId),
    })
    try {
      const from = readPlace(cursor.get())?.since ?? (await reader.begin())
      void reader.follow(from).catch((error) => this.#lost(open, error))
    } catch (error) {
      this.#end(open)
      throw error
    }
  }

  /** Reported once, by the first cause that ends the connection. */
  #lost(open: Open, error: unknown): void {
    if (open.end.signal.aborted) return
    this.#end(open)
    const isFinal = isLoggedOut(error) && this.#deps.credentials().token !== undefined
    open.link.lost(errorMessage(error), isFinal ? { final: true, code: 'matrix_unauthorized' } : {})
  }

  /** A courtesy: whether it succeeds changes nothing. */
  #markRead({ api, end }: Open, roomId: string, eventId: string): void {
    if (!this.settings.read_receipts) return
    const path = `${roomPath(roomId)}/receipt/m.read/${encodeURIComponent(eventId)}`
    const said = api.ask({ method: 'POST', path, body: {}, signal: end.signal })
    said.catch((error) => this.#deps.log.debug('a message could not be marked as read', { error }))
  }
}
