/** A connected account: what comes in over one session, and what leaves. */
import { createHash } from 'node:crypto'
import { xml } from '@xmpp/client'
import type { Clock, Logger, Net, Random } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import {
  deliveryBusy,
  deliveryRefused,
  deliveryUncertain,
  type GatewayConnection,
  type InboundFile,
  type MessageReaction,
  type OutboundMessage,
  type ReactionState,
  retryUntilTaken,
  type SendReceipt,
} from 'svc/sdk/platform'
import { BARE_JID, type XmppAccount } from './account.ts'
import { Archive, BEGINNING } from './archive.ts'
import type { Config } from './config.ts'
import { readArchiveId, readMessage } from './inbound.ts'
import {
  ARCHIVE,
  CARBONS,
  CHAT_STATES,
  DISCO_INFO,
  FILE_ADDRESS,
  FORWARD,
  HINTS,
  PING,
  REACTIONS,
  RECEIPTS,
  REPLY,
  STANZA_ID,
} from './namespaces.ts'
import { listFeatures, Rooms, toBare } from './rooms.ts'
import { type Stanza, toConnectError, toRefusal, XmppSession } from './session.ts'
import { fetchFile, findUploads, upload } from './upload.ts'

export interface ConnectionDeps {
  readonly account: XmppAccount
  readonly settings: Config
  readonly link: GatewayConnection
  readonly clock: Clock
  readonly net: Net
  readonly random: Random
  readonly log: Logger
}

const ANSWER_MS = 30_000
const PROBE_MS = 10_000
const PAGE = 50
/** As many pages are read after a pause; older messages are not answered. */
const MAX_PAGES = 20
/** Among so many a message is looked for that may have been sent. */
const LOOKED_AT = 100
const EMOJI: Readonly<Record<ReactionState, string>> = { working: '👀', done: '✅', failed: '❌' }
/** XML 1.0 has no such characters, not even escaped: one of them ends the stream. */
const FORBIDDEN =
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const ENCRYPTED = 'eu.siacs.conversations.axolotl'

interface Waiting {
  readonly taken: (archiveId: string | undefined) => void
  readonly refused: (error: Error) => void
}

export class XmppConnection {
  readonly #deps: ConnectionDeps
  readonly #session: XmppSession
  readonly #rooms: Rooms
  readonly #archive: Archive
  /** Messages of the account that the server has not spoken about yet, by their ids. */
  readonly #waiting: Map<string, Waiting> = new Map()
  /** One message after another; the missed ones first. */
  #work: Promise<void> = Promise.resolve()
  #hasArchive = false
  #keepsAll = false
  #isConnected = false
  #uploads: Promise<string | undefined> | undefined

  private constructor(deps: ConnectionDeps) {
    const { account, clock, random, log, link } = deps
    this.#deps = deps
    this.#session = new XmppSession({
      ...{ account, clock, random, log },
      stanza: (stanza) => this.#take(stanza),
      heard: () => link.alive(),
      lost: (error) => this.#lost(error),
    })
    this.#archive = new Archive(this.#session, account.jid)
    const removed = (room: string) => {
      if (this.#session.signal.aborted) return
      link.lost(`The account is not in ${room} any more.`)
      this.close()
    }
    this.#rooms = new Rooms({ session: this.#session, clock, log, removed })
  }

  /** Resolves once messages arrive. Throws as `Platform.connect` does. */
  static async open(deps: ConnectionDeps): Promise<XmppConnection> {
    const connection = new XmppConnection(deps)
    try {
      await connection.#open()
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Every message of the account can be looked up. */
  get keepsAll(): boolean {
    return this.#keepsAll
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { chatId, text, key, replyTo, files = [], commit } = message
    if (!BARE_JID.test(chatId)) throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no address of XMPP.`)
    const [file] = files
    const { account, net } = this.#deps
    const address =
      file && (await upload(file, { session: this.#session, account, net, service: await this.#findUploads() }))
    const isRoom = this.#rooms.has(chatId)
    const id = createMessageId(key)
    const stanza = xml(
      'message',
      { to: chatId, type: isRoom ? 'groupchat' : 'chat', id },
      xml('body', {}, address ?? text.replace(FORBIDDEN, '�')),
      xml('origin-id', { xmlns: STANZA_ID, id }),
      ...(address === undefined ? [] : [xml('x', { xmlns: FILE_ADDRESS }, xml('url', {}, address))]),
      ...(replyTo === undefined ? [] : [xml('reply', { xmlns: REPLY, id: replyTo, ...(!isRoom && { to: chatId }) })]),
    )
    const came = new Promise<string | undefined>((taken, refused) => this.#waiting.set(id, { taken, refused }))
    came.catch(() => undefined)
    try {
      if (this.#session.signal.aborted) throw deliveryBusy('PLATFORM_NOT_CONNECTED', 'XMPP is not connected.')
      commit?.()
      await this.#session.send(stanza)
      // A room shows a message to its author, too. Else the server answers in order: an error would come before.
      const settled = isRoom ? this.#atMost(came) : Promise.race([came, this.#ping().then(() => undefined)])
      const archiveId = await settled
      return { messageId: isRoom ? (archiveId ?? id) : id }
    } finally {
      this.#waiting.delete(id)
    }
  }

  /** Throws if it cannot be known. */
  async find({ chatId, key }: OutboundMessage): Promise<SendReceipt | undefined> {
    const id = createMessageId(key)
    const isRoom = this.#rooms.has(chatId)
    if (isRoom ? !this.#rooms.hasArchive(chatId) : !this.#keepsAll)
      throw deliveryUncertain(
        'PLATFORM_UNREACHABLE',
        `There is no archive in which a message to ${chatId} could be looked up.`,
      )
    const where = isRoom ? { room: chatId } : { person: chatId }
    const { messages } = await this.#archive.query({ ...where, after: 'latest', count: LOOKED_AT })
    const own = isRoom ? `${chatId}/${this.#rooms.nickIn(chatId)}` : this.#deps.account.jid
    const found = messages.find(({ message: { attrs } }) => {
      const from = String(attrs['from'] ?? own)
      return attrs['id'] === id && (isRoom ? from === own : toBare(from) === own)
    })
    return found && { messageId: isRoom ? found.id : id }
  }

  async typing(chatId: string): Promise<void> {
    await this.#tell(chatId, xml('composing', { xmlns: CHAT_STATES }), xml('no-store', { xmlns: HINTS }))
  }

  async react({ chatId, messageId, state }: MessageReaction): Promise<void> {
    const marks = state === undefined ? [] : [xml('reaction', {}, EMOJI[state])]
    await this.#tell(
      chatId,
      xml('reactions', { xmlns: REACTIONS, id: messageId }, ...marks),
      xml('store', { xmlns: HINTS }),
    )
  }

  fetch(file: InboundFile, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<Uint8Array> {
    const { account, settings, net } = this.#deps
    return fetchFile(file.ref, { account, net, hosts: settings.file_hosts, ...options })
  }

  async probe(): Promise<boolean> {
    const { clock } = this.#deps
    const answered = this.#ping().then(
      () => true,
      () => false,
    )
    return (await waitAtMost(clock, PROBE_MS, answered, { signal: this.#session.signal })) === true
  }

  close(): void {
    this.#isConnected = false
    this.#session.close()
  }

  async #open(): Promise<void> {
    const { account, link } = this.#deps
    await this.#session.open(link.signal)
    const features = listFeatures(
      await this.#session
        .ask(xml('iq', { type: 'get', to: account.jid }, xml('query', { xmlns: DISCO_INFO })))
        .catch(() => undefined),
    )
    this.#hasArchive = features.includes(ARCHIVE)
    this.#keepsAll =
      this.#hasArchive &&
      (await this.#archive.keepAll().then(
        () => true,
        () => false,
      ))
    // What another device of the account is sent is seen here, too. Servers without it refuse.
    await this.#session.ask(xml('iq', { type: 'set' }, xml('enable', { xmlns: CARBONS }))).catch(() => undefined)
    // What arrives from now on waits for what was missed.
    let begin = () => {}
    this.#work = new Promise((resolve) => {
      begin = resolve
    })
    this.#work = this.#work.then(() => this.#catchUp())
    await this.#session.send(xml('presence'))
    await Promise.all(account.rooms.map((room) => this.#rooms.join(room, account.nickname)))
    if (this.#session.signal.aborted) throw toConnectError(new Error('it ended the connection at once'), account.domain)
    this.#isConnected = true
    begin()
  }

  #lost(error: unknown): void {
    if (!this.#isConnected) return
    this.#isConnected = false
    const { link, account } = this.#deps
    const { condition } = (error ?? {}) as { readonly condition?: string }
    const reason = condition === undefined ? '' : `: ${condition}`
    link.lost(`${account.domain} ended the connection${reason}.`)
  }

  #take(stanza: Stanza): void {
    if (stanza.name === 'presence') return void this.#rooms.presence(stanza)
    if (stanza.name !== 'message' || this.#archive.take(stanza)) return
    const { jid } = this.#deps.account
    const id = String(stanza.attrs['id'])
    const from = String(stanza.attrs['from'] ?? jid)
    if (stanza.attrs['type'] === 'error') return void this.#refused(id, stanza)
    const room = toBare(from)
    if (this.#rooms.has(room) && from === `${room}/${this.#rooms.nickIn(room)}`)
      this.#waiting.get(id)?.taken(readArchiveId(stanza, room))
    // Any client could write what looks like a carbon of another's message.
    const carbon = stanza.getChild('received', CARBONS) ?? stanza.getChild('sent', CARBONS)
    if (carbon && from !== jid) return
    const message = carbon ? carbon.getChild('forwarded', FORWARD)?.getChild('message') : stanza
    if (message) this.#enqueue(message)
  }

  #refused(id: string, stanza: Stanza): void {
    const error = toRefusal(stanza.getChild('error'))
    const waiting = this.#waiting.get(id)
    if (waiting) return void waiting.refused(error)
    if (stanza.getChild('body')) this.#deps.log.warn('a message came back after it had been taken', { error })
  }

  #enqueue(message: Stanza): void {
    this.#work = this.#work
      .then(() => this.#receive(message))
      .catch((error: unknown) => {
        if (!this.#session.signal.aborted) this.#deps.log.warn('a message could not be read', { error })
      })
  }

  /** Takes a message, then notes how far was read, then says that it arrived. */
  async #receive(message: Stanza, archived?: { readonly id: string; readonly at: number | undefined }): Promise<void> {
    const { account, link, clock, log } = this.#deps
    const room = toBare(String(message.attrs['from'] ?? account.jid))
    const isRoom = message.attrs['type'] === 'groupchat'
    if (message.getChild('encrypted', ENCRYPTED))
      log.warn('a message is encrypted (OMEMO) and cannot be read', { from: room })
    const read = readMessage(message, { jid: account.jid, rooms: this.#rooms, ...(archived && { archived }) })
    const { signal } = this.#session
    const result = read && (await retryUntilTaken(() => link.receive(read), { clock, log, signal }))
    const id = archived?.id ?? readArchiveId(message, isRoom ? room : account.jid)
    if (id !== undefined) this.#cursor(isRoom ? room : undefined).set(id)
    const isAsked = message.getChild('request', RECEIPTS) !== undefined && message.attrs['id'] !== undefined
    const isWelcome = result?.outcome === 'taken' || result?.outcome === 'answered' || result?.outcome === 'duplicate'
    if (!isAsked || !isWelcome || isRoom) return
    const receipt = xml('received', { xmlns: RECEIPTS, id: String(message.attrs['id']) })
    await this.#session.send(xml('message', { to: String(message.attrs['from']), type: 'chat' }, receipt))
  }

  #cursor(room: string | undefined) {
    const { link, account } = this.#deps
    return link.cursor(room === undefined ? account.jid : `${account.jid} ${room}`)
  }

  /** What was said while svc was not there. */
  async #catchUp(): Promise<void> {
    const rooms = this.#rooms.names().filter((room) => this.#rooms.hasArchive(room))
    for (const room of [...(this.#hasArchive ? [undefined] : []), ...rooms])
      await this.#readMissed(room).catch((error: unknown) => {
        if (!this.#session.signal.aborted) this.#deps.log.warn('what was missed is not read back', { room, error })
      })
  }

  async #readMissed(room: string | undefined): Promise<void> {
    const cursor = this.#cursor(room)
    const where = room === undefined ? {} : { room }
    const restart = async () => {
      const { messages } = await this.#archive.query({ ...where, after: 'latest', count: 1 })
      cursor.set(messages.at(-1)?.id ?? BEGINNING)
    }
    let after = cursor.get()
    if (after === undefined) return restart()
    for (let page = 0; page < MAX_PAGES; page++) {
      const { messages, isComplete } = await this.#archive.query({ ...where, after, count: PAGE })
      for (const { message, ...archived } of messages) {
        await this.#receive(message, archived)
        cursor.set(archived.id)
      }
      if (isComplete || messages.length === 0) return
      after = messages.at(-1)?.id ?? after
    }
    this.#deps.log.warn('more was missed than is read back', { room })
    await restart()
  }

  async #tell(chatId: string, ...children: Stanza[]): Promise<void> {
    const type = this.#rooms.has(chatId) ? 'groupchat' : 'chat'
    if (BARE_JID.test(chatId)) await this.#session.send(xml('message', { to: chatId, type }, ...children))
  }

  async #ping(): Promise<void> {
    const { domain } = this.#deps.account
    // A server without pings answers with an error, in order as well.
    await this.#session
      .ask(xml('iq', { type: 'get', to: domain }, xml('ping', { xmlns: PING })))
      .catch((error: unknown) => {
        if (classify(error) !== 'answered') throw error
      })
  }

  async #atMost(came: Promise<string | undefined>): Promise<string | undefined> {
    const { clock } = this.#deps
    const wrapped = came.then((archiveId) => ({ archiveId }))
    const settled = await waitAtMost(clock, ANSWER_MS, wrapped, { signal: this.#session.signal })
    if (settled) return settled.archiveId
    throw deliveryUncertain('PLATFORM_UNREACHABLE', 'The room did not show the message. It may have been sent.')
  }

  #findUploads(): Promise<string | undefined> {
    this.#uploads ??= findUploads(this.#session, this.#deps.account.domain)
    return this.#uploads
  }
}

/** The same for the same key; others do not learn the key. */
function createMessageId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

function classify(error: unknown): 'answered' | 'open' {
  return (error as { readonly code?: string }).code === 'PLATFORM_REFUSED' ? 'answered' : 'open'
}
