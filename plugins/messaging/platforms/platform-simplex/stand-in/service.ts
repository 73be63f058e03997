/**
 * A stand-in for the program `simplex-chat -p PORT` with one profile, after its bot API
 * (github.com/simplex-chat/simplex-chat/tree/stable/bots): commands with correlation ids, events, messages that are stored, and files.
 */

import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { basename, dirname } from 'node:path'
import { demandFault, LINE_FAULTS, type SayOptions, SEND_FAULTS, SendFaults } from 'svc/sdk/kit/stand-in'
import type { LineFault, SendFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import { type WebSocket, WebSocketServer } from 'ws'

const USER = { userId: 1, localDisplayName: 'svc', profile: { displayName: 'svc', fullName: '' } }
const LINKS = {
  connFullLink: 'https://simplex.chat/contact#/?v=2-7&smp=smp%3A%2F%2Fexample%40smp.example.com%2Fqueue',
  connShortLink: 'https://smp.example.com/a#svcaddress',
}
const OWN_MEMBER = 'b3duLW1lbWJlcg=='
const MAX_BYTES = 15_610
const ERRORS: Readonly<Record<Exclude<SendFault, 'lost' | 'unanswered'>, object>> = {
  busy: { type: 'errorStore', storeError: { type: 'dBBusyError', message: 'database is locked' } },
  unavailable: { type: 'error', errorType: { type: 'chatNotStarted' } },
  forbidden: { type: 'error', errorType: { type: 'contactNotActive', contact: {} } },
}

interface Chat {
  readonly ref: string
  readonly info: object
  readonly items: Item[]
}

interface Item {
  readonly chatDir: object
  readonly meta: {
    readonly itemId: number
    readonly itemTs: string
    readonly itemText: string
    readonly userMention: boolean
  }
  readonly content: { readonly type: string; readonly msgContent: { readonly type: string; readonly text: string } }
  readonly quotedItem?: object
  readonly mentions?: object
  readonly file?: { readonly fileId: number; readonly fileName: string; readonly fileSize: number }
}

interface Composed {
  readonly msgContent?: { readonly type?: string; readonly text?: string; readonly duration?: unknown }
  readonly quotedItemId?: number
  readonly fileSource?: { readonly filePath: string }
  readonly mentions?: object
}

/** The stand-in, and what only tests of this platform need. */
export interface SimplexStandIn extends StandInService {
  /** Commands that came in, oldest first. */
  commands(): readonly string[]
  /** Sends an event to svc. */
  tell(event: object): void
  /** A person asks to be a contact. */
  askForContact(id: number): void
  /** Ids of requests that were accepted. */
  accepted(): readonly number[]
  /** The next files cannot be fetched. */
  loseFiles(): void
}

/** The program is on the same machine and wants no sign-in. */
const FAULTS: readonly LineFault[] = LINE_FAULTS.filter((fault) => fault !== 'logout')

export async function openStandIn(): Promise<SimplexStandIn> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, autoPong: false })
  await once(server, 'listening')
  const simplex = new Simplex(server)
  return {
    name: 'simplex',
    document: 'https://github.com/simplex-chat/simplex-chat/tree/stable/bots',
    config: {},
    env: { SIMPLEX_URL: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` },
    ...{ sendFaults: SEND_FAULTS, lineFaults: FAULTS },
    member: (options) => simplex.member(options),
    deliveries: () => simplex.sent,
    connected: () => simplex.isConnected,
    failSends: (fault, count) => simplex.faults.add(fault, count),
    disturb(fault) {
      demandFault(FAULTS, fault)
      simplex.disturb(fault)
    },
    calm: () => simplex.calm(),
    commands: () => simplex.commands,
    tell: (event) => simplex.tell(event),
    askForContact: (id) => simplex.askForContact(id),
    accepted: () => simplex.accepted,
    loseFiles: () => {
      simplex.isFileLost = true
    },
    async close() {
      for (const socket of server.clients) socket.terminate()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}

class Simplex {
  readonly sent: StandInDelivery[] = []
  readonly commands: string[] = []
  readonly accepted: number[] = []
  readonly faults: SendFaults = new SendFaults()
  isFileLost = false
  readonly #server: WebSocketServer
  readonly #chats: Map<string, Chat> = new Map()
  readonly #names: string[] = []
  readonly #groups: string[] = []
  readonly #files: Map<number, Uint8Array> = new Map()
  readonly #requests: Set<number> = new Set()
  #fault: LineFault | undefined
  #late: (() => void) | undefined
  #count = 0

  constructor(server: WebSocketServer) {
    this.#server = server
    server.on('connection', (socket) => {
      socket.on('error', () => socket.terminate())
      socket.on('ping', () => void (this.#fault === 'silence' || socket.pong()))
      socket.on('message', (data) => {
        if (this.#fault !== 'silence') this.#hear(String(data), socket)
      })
    })
  }

  get isConnected(): boolean {
    return this.#server.clients.size > 0
  }

  member({ userId, group }: { userId?: string; group?: string } = {}): StandInMember {
    const name = userId ?? `person ${++this.#count}`
    const known = /^@\d+$/.test(name) ? Number(name.slice(1)) : this.#indexOf(this.#names, name) + 2
    const contact = { contactId: known, localDisplayName: name, profile: { displayName: name, fullName: '' } }
    const id = `@${known}`
    if (group === undefined) {
      const chat = this.#chat(id, { type: 'direct', contact })
      return {
        chatId: id,
        userId: id,
        say: async (text, options) => this.#say(chat, { type: 'directRcv' }, text, options),
      }
    }
    const groupId = this.#indexOf(this.#groups, group) + 1
    const membership = { memberId: OWN_MEMBER, localDisplayName: 'svc' }
    const groupInfo = { groupId, localDisplayName: group, membership }
    const chat = this.#chat(`#${groupId}`, { type: 'group', groupInfo })
    const groupMember = {
      memberId: Buffer.from(name).toString('base64'),
      localDisplayName: name,
      memberContactId: known,
    }
    const from = { type: 'groupRcv', groupMember }
    return { chatId: chat.ref, userId: id, say: async (text, options) => this.#say(chat, from, text, options) }
  }

  disturb(fault: LineFault): void {
    if (fault === 'flap') for (const socket of this.#server.clients) socket.terminate()
    else this.#fault = fault
  }

  calm(): void {
    this.#fault = undefined
    this.isFileLost = false
    this.faults.clear()
    this.#release()
  }

  tell(event: object): void {
    if (this.#fault === 'silence') return
    for (const socket of this.#server.clients) socket.send(JSON.stringify({ resp: { user: USER, ...event } }))
  }

  askForContact(contactRequestId: number): void {
    this.#requests.add(contactRequestId)
    this.tell({ type: 'receivedContactRequest', contactRequest: { contactRequestId, localDisplayName: 'eve' } })
  }

  #indexOf(names: string[], name: string): number {
    if (!names.includes(name)) names.push(name)
    return names.indexOf(name)
  }

  #chat(ref: string, info: object): Chat {
    const chat = this.#chats.get(ref) ?? { ref, info, items: [] }
    this.#chats.set(ref, chat)
    return chat
  }

  #hear(text: string, socket: WebSocket): void {
    const { corrId, cmd = '' } = JSON.parse(text) as { corrId?: string; cmd?: string }
    this.commands.push(cmd)
    const answer = (resp: object) => socket.send(JSON.stringify({ corrId, resp: { user: USER, ...resp } }))
    const refuse = (chatError: object) => answer({ type: 'chatCmdError', chatError })
    const unknown = () =>
      refuse({ type: 'error', errorType: { type: 'commandError', message: 'Failed reading: empty' } })
    const [, send, json = ''] = /^\/_send ([@#]\d+) json (.+)$/.exec(cmd) ?? []
    if (send) return void this.#send(send, json, { answer, refuse, socket })
    const result = this.#answer(cmd)
    if (result === undefined) return void unknown()
    if ('chatError' in result) return void refuse(result['chatError'] as object)
    answer(result)
  }

  #answer(cmd: string): Record<string, unknown> | undefined {
    if (cmd === '/user') return { type: 'activeUser' }
    if (cmd === `/_show_address ${USER.userId}`)
      return { type: 'userContactLink', contactLink: { connLinkContact: LINKS } }
    if (/^\/_get chats 1 count=\d+ \{"type":"filters","favorite":false,"unread":false\}$/.test(cmd)) return this.#list()
    const [, ref = '', count = ''] = /^\/_get chat ([@#]\d+) count=(\d+)$/.exec(cmd) ?? []
    if (ref) return this.#history(ref, Number(count))
    const [, request = ''] = /^\/_accept (\d+)$/.exec(cmd) ?? []
    if (request) return this.#accept(Number(request))
    const [, file = '', path = ''] = /^\/freceive (\d+) encrypt=off (\/.+)$/.exec(cmd) ?? []
    if (file) return this.#giveFile(Number(file), path)
    const [, where = '', id = '', json = ''] = /^\/_update item ([@#]\d+) (\d+) json (.+)$/.exec(cmd) ?? []
    return where ? this.#update(where, Number(id), JSON.parse(json) as Composed) : undefined
  }

  #list(): Record<string, unknown> {
    const chats = [...this.#chats.values()].map(({ info, items }) => ({ chatInfo: info, chatItems: items.slice(-1) }))
    const asked = [...this.#requests].map((contactRequestId) => ({
      chatInfo: { type: 'contactRequest', contactRequest: { contactRequestId } },
      chatItems: [],
    }))
    return { type: 'apiChats', chats: [...chats, ...asked] }
  }

  #history(ref: string, count: number): Record<string, unknown> {
    const chat = this.#chats.get(ref)
    if (!chat) return { chatError: { type: 'errorStore', storeError: { type: 'contactNotFound', contactId: 1 } } }
    return { type: 'apiChat', chat: { chatInfo: chat.info, chatItems: chat.items.slice(-count) } }
  }

  #accept(id: number): Record<string, unknown> {
    if (!this.#requests.delete(id))
      return { chatError: { type: 'errorStore', storeError: { type: 'contactRequestNotFound' } } }
    this.accepted.push(id)
    return { type: 'acceptingContactRequest', contact: { contactId: 100 + id } }
  }

  #send(
    ref: string,
    json: string,
    { answer, refuse, socket }: { answer: (resp: object) => void; refuse: (error: object) => void; socket: WebSocket },
  ): void {
    const chat = this.#chats.get(ref)
    const [composed] = JSON.parse(json) as readonly Composed[]
    const problem = findProblem(composed, json)
    if (!chat) return void refuse({ type: 'errorStore', storeError: { type: 'contactNotFound', contactId: 1 } })
    if (problem) return void refuse({ type: 'error', errorType: { type: problem, message: 'not taken' } })
    const fault = this.faults.next()
    if (fault === 'lost') return void socket.terminate()
    if (fault !== undefined && fault !== 'unanswered') return void refuse(ERRORS[fault])
    const { item, file } = this.#take(chat, composed)
    if (fault === 'unanswered') return void socket.terminate()
    const chatItems = [{ chatInfo: chat.info, chatItem: item }]
    answer({ type: 'newChatItems', chatItems })
    const fileTransferMeta = { fileId: file?.entry.fileId }
    if (file) this.tell({ type: 'sndFileCompleteXFTP', chatItem: chatItems[0], fileTransferMeta })
  }

  #take(chat: Chat, { msgContent, fileSource, quotedItemId }: Composed = {}) {
    const { ref } = chat
    const { type = '', text = '', duration } = msgContent ?? {}
    const file = fileSource && this.#readFile(fileSource.filePath)
    const item = this.#add(chat, { type: ref.startsWith('@') ? 'directSnd' : 'groupSnd' }, text, {
      ...{ content: { type: 'sndMsgContent', msgContent: { type, text } } },
      ...(file && { file: file.entry }),
    })
    this.sent.push({
      ...{ messageId: String(item.meta.itemId), chatId: ref, raw: text, visible: text, versions: [text], buttons: [] },
      files: file
        ? [
            {
              name: file.entry.fileName,
              bytes: file.bytes,
              ...(type === 'voice' && { isVoice: true, durationMs: Number(duration) * 1000 }),
            },
          ]
        : [],
      ...(quotedItemId !== undefined && { replyTo: String(quotedItemId) }),
    })
    return { item, file }
  }

  #readFile(path: string) {
    const bytes = readFileSync(path)
    return { bytes, entry: { fileId: ++this.#count, fileName: basename(path), fileSize: statSync(path).size } }
  }

  #update(ref: string, id: number, { msgContent }: Composed): Record<string, unknown> {
    const chat = this.#chats.get(ref)
    const at = this.sent.findIndex((each) => each.chatId === ref && each.messageId === String(id))
    const before = this.sent[at]
    const fault = this.faults.next()
    if (fault === 'busy' || fault === 'unavailable' || fault === 'forbidden') return { chatError: ERRORS[fault] }
    const text = msgContent?.text ?? ''
    if (!chat || !before || text === '')
      return { chatError: { type: 'error', errorType: { type: 'invalidChatItemUpdate' } } }
    this.sent[at] = { ...before, raw: text, visible: text, versions: [...before.versions, text] }
    const place = chat.items.findIndex(({ meta }) => meta.itemId === id)
    const item = chat.items[place]
    if (item) chat.items[place] = { ...item, content: { type: 'sndMsgContent', msgContent: { type: 'text', text } } }
    return { type: 'chatItemUpdated', chatItem: { chatInfo: chat.info, chatItem: chat.items[place] } }
  }

  #giveFile(fileId: number, path: string): Record<string, unknown> {
    const bytes = this.#files.get(fileId)
    if (!bytes) return { chatError: { type: 'error', errorType: { type: 'fileNotFound', message: 'no file' } } }
    mkdirSync(dirname(path), { recursive: true })
    const chatItem = { chatInfo: {}, chatItem: { file: { fileId, fileSource: { filePath: path } } } }
    setImmediate(() => {
      if (this.isFileLost) return this.tell({ type: 'rcvFileError', rcvFileTransfer: { fileId } })
      writeFileSync(path, bytes)
      this.tell({ type: 'rcvFileComplete', chatItem })
    })
    return { type: 'rcvFileAccepted', chatItem }
  }

  #add(chat: Chat, chatDir: object, itemText: string, more: Pick<Item, 'content'> & Partial<Item>): Item {
    const meta = { itemId: ++this.#count, itemTs: new Date().toISOString(), itemText, userMention: false }
    const item = { chatDir, meta, mentions: {}, ...more }
    chat.items.push(item)
    return item
  }

  #say(chat: Chat, from: object, text: string, options: SayOptions = {}): string {
    const said = options.mention && chat.ref.startsWith('#') ? `@svc ${text}` : text
    const known = chat.items.find(({ meta }) => String(meta.itemId) === options.messageId)
    const files = options.files ?? []
    const items = known
      ? [known]
      : files.length === 0
        ? [this.#hearText(chat, from, said, options)]
        : files.map((file, at) => this.#hearFile(chat, from, at === 0 ? said : '', file))
    const bring = () => {
      for (const chatItem of items) this.tell({ type: 'newChatItems', chatItems: [{ chatInfo: chat.info, chatItem }] })
    }
    const fault = this.#fault
    if (fault === 'twice' || fault === 'late') this.#fault = undefined
    if (fault === 'late') this.#late = bring
    else {
      bring()
      if (fault === 'twice') bring()
      this.#release()
    }
    return String(items[0]?.meta.itemId)
  }

  #hearText(chat: Chat, from: object, text: string, { mention, quote }: SayOptions): Item {
    const item = this.#add(chat, from, text, { content: { type: 'rcvMsgContent', msgContent: { type: 'text', text } } })
    const quoted = chat.items.find(({ meta }) => String(meta.itemId) === quote)
    const isMention = mention === true && chat.ref.startsWith('#')
    const full = {
      ...item,
      meta: { ...item.meta, userMention: isMention },
      mentions: isMention ? { svc: { memberId: OWN_MEMBER } } : {},
      ...(quote !== undefined && { quotedItem: { itemId: Number(quote), chatDir: quoted?.chatDir ?? null } }),
    }
    chat.items[chat.items.length - 1] = full
    return full
  }

  #hearFile(chat: Chat, from: object, text: string, file: NonNullable<SayOptions['files']>[number]): Item {
    const fileId = ++this.#count
    this.#files.set(fileId, file.bytes)
    const type = file.mediaType.startsWith('audio/') ? 'voice' : 'file'
    return this.#add(chat, from, text, {
      content: { type: 'rcvMsgContent', msgContent: { type, text } },
      file: { fileId, fileName: file.name, fileSize: file.bytes.length },
    })
  }

  #release(): void {
    const late = this.#late
    this.#late = undefined
    late?.()
  }
}

/** The error for a message that the program does not take. */
function findProblem(composed: Composed | undefined, json: string): string | undefined {
  const { msgContent, fileSource, mentions } = composed ?? {}
  const { type = '', text = '', duration } = msgContent ?? {}
  if (Buffer.byteLength(json) > MAX_BYTES) return 'exception'
  const isKnown = ['text', 'file', 'voice'].includes(type) && mentions !== undefined
  if (type === 'voice' && (!Number.isInteger(duration) || !fileSource)) return 'commandError'
  return isKnown && (text !== '' || fileSource) ? undefined : 'commandError'
}
