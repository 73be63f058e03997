/**
 * A stand-in for a server of XMPP: streams, messages, rooms, archives and uploads, after RFC 6120 and 6121 and the extensions that
 * namespaces.ts lists (xmpp.org/extensions).
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { xml } from '@xmpp/client'
import {
  demandFault,
  LINE_FAULTS,
  type SayOptions,
  SEND_FAULTS,
  SendFaults,
  type ServiceAnswer,
  type ServiceRequest,
  StandInServer,
} from 'svc/sdk/kit/stand-in'
import type { LineFault, SendFault, StandInDelivery, StandInMember, StandInService } from 'svc/sdk/platform'
import {
  ARCHIVE,
  DISCO_INFO,
  DISCO_ITEMS,
  FILE_ADDRESS,
  MUC,
  MUC_USER,
  OCCUPANT_ID,
  REACTIONS,
  RECEIPTS,
  REPLY,
  STANZA_ID,
  UPLOAD,
} from '../namespaces.ts'
import { splitJid } from '../rooms.ts'
import type { Stanza } from '../session.ts'
import { copyStanza, KeptMessages } from './archive.ts'
import { type Stream, Streams } from './stream.ts'

const DOMAIN = 'xmpp.example.com'
const PASSWORD = 'xmpp-password-for-tests'
/** Groups of tests are rooms in the order in which they are first named. */
const ROOMS = [1, 2, 3, 4].map((number) => `room-${number}@rooms.${DOMAIN}`)
const ERRORS = 'urn:ietf:params:xml:ns:xmpp-stanzas'
const ERROR_OF: Readonly<Record<Exclude<SendFault, 'lost' | 'unanswered'>, readonly [type: string, name: string]>> = {
  busy: ['wait', 'resource-constraint'],
  unavailable: ['wait', 'remote-server-timeout'],
  forbidden: ['auth', 'forbidden'],
}

/** The stand-in, and what only tests of this platform need. */
export interface XmppStandIn extends StandInService {
  /** The account of svc. */
  readonly jid: string
  /** Sends a stanza to svc, addressed to its account unless it says otherwise. */
  tell(stanza: Stanza): void
  /** Ids of messages for which svc has said that they arrived. */
  receipts(): readonly string[]
  /** The account is put out of this room. */
  kick(room: string): void
  /** A stanza of another that comes before the answer of an archive, made from the id of the query. */
  interject(make: (queryId: string) => Stanza): void
}

export async function openStandIn(): Promise<XmppStandIn> {
  // An account is used by one gateway of a machine, and gateways of several tests run concurrently.
  const jid = `svc-${randomBytes(4).toString('hex')}@${DOMAIN}`
  const xmpp = new Xmpp(jid)
  const files = await StandInServer.open((request) => xmpp.answer(request))
  const streams = await Streams.open({
    ...{ domain: DOMAIN, jid, password: PASSWORD },
    isLoggedOut: () => xmpp.fault === 'logout',
    isSilent: () => xmpp.fault === 'silence',
    stanza: (stanza, stream) => xmpp.hear(stanza, stream),
  })
  xmpp.begin(streams, files.url)
  return {
    name: 'xmpp',
    document: 'https://xmpp.org/rfcs/rfc6120.html',
    config: {
      ...{ server: `127.0.0.1:${streams.port}`, tls: 'optional', nickname: 'svc' },
      ...{ join: ROOMS, file_hosts: ['127.0.0.1'] },
    },
    env: { XMPP_JID: jid, XMPP_PASSWORD: PASSWORD },
    jid,
    ...{ sendFaults: SEND_FAULTS, lineFaults: LINE_FAULTS },
    member: (options) => xmpp.member(options),
    deliveries: () => xmpp.sent,
    reactions: () => xmpp.reactions,
    receipts: () => xmpp.receipts,
    connected: () => xmpp.fault !== 'logout' && [...streams.all].some(({ isAvailable }) => isAvailable),
    failSends: (fault, count) => xmpp.faults.add(fault, count),
    disturb(fault) {
      demandFault(LINE_FAULTS, fault)
      if (fault !== 'flap') xmpp.fault = fault
      if (fault === 'flap' || fault === 'logout') streams.cut()
    },
    calm: () => xmpp.calm(),
    tell: (stanza) => xmpp.tell(stanza),
    kick: (room) => xmpp.kick(room),
    interject(make) {
      xmpp.interject = make
    },
    async close() {
      await streams.close()
      await files.close()
    },
  }
}

class Xmpp {
  readonly #jid: string
  readonly sent: StandInDelivery[] = []
  readonly reactions: { messageId: string; emoji: string; isThere: boolean }[] = []
  readonly receipts: string[] = []
  readonly faults: SendFaults = new SendFaults()
  fault: LineFault | undefined
  interject: ((queryId: string) => Stanza) | undefined
  #streams: Streams | undefined
  #url = ''
  #late: (() => void) | undefined
  #count = 0
  readonly #groups: string[] = []
  readonly #nicks: Map<string, string> = new Map()
  readonly #archives: Map<string, KeptMessages> = new Map()
  readonly #files: Map<string, Uint8Array> = new Map()

  constructor(jid: string) {
    this.#jid = jid
  }

  begin(streams: Streams, url: string): void {
    this.#streams = streams
    this.#url = url
  }

  member({ userId = `person-${++this.#count}`, group }: { userId?: string; group?: string } = {}): StandInMember {
    const person = userId.includes('@') ? userId : `${userId.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}@${DOMAIN}`
    if (group === undefined)
      return {
        chatId: person,
        userId: person,
        say: async (text, options) => this.#say(person, undefined, text, options),
      }
    if (!this.#groups.includes(group)) this.#groups.push(group)
    const room = ROOMS[this.#groups.indexOf(group)] ?? ''
    if (room === '') throw new Error(`This stand-in has ${ROOMS.length} rooms.`)
    return { chatId: room, userId: person, say: async (text, options) => this.#say(person, room, text, options) }
  }

  tell(stanza: Stanza): void {
    stanza.attrs['to'] ??= this.#jid
    for (const stream of this.#streams?.all ?? []) if (stream.isAvailable) stream.send(stanza)
  }

  calm(): void {
    this.fault = undefined
    this.faults.clear()
    this.#release()
  }

  kick(room: string): void {
    const status = ['110', '307'].map((code) => xml('status', { code }))
    const from = `${room}/${this.#nicks.get(room)}`
    this.tell(xml('presence', { from, to: this.#jid, type: 'unavailable' }, xml('x', { xmlns: MUC_USER }, ...status)))
  }

  answer({ method, path, body }: ServiceRequest): ServiceAnswer {
    if (method === 'PUT') {
      this.#files.set(path, body)
      return { status: 201 }
    }
    const file = this.#files.get(path)
    return file ? { body: file } : { status: 404 }
  }

  hear(stanza: Stanza, stream: Stream): void {
    const reply = (more: object, ...children: Stanza[]) =>
      stream.send(
        xml(
          stanza.name,
          { from: stanza.attrs['to'] ?? this.#jid, to: this.#jid, id: stanza.attrs['id'], ...more },
          ...children,
        ),
      )
    const refuse = (type: string, name: string) =>
      reply({ type: 'error' }, xml('error', { type }, xml(name, { xmlns: ERRORS })))
    if (stanza.name === 'presence') return void this.#enter(stanza, stream)
    if (stanza.name === 'message') return void this.#take(stanza, stream, refuse)
    const query = stanza.children.find((child): child is Stanza => typeof child !== 'string')
    const answer = query && this.#answerQuery(query, String(stanza.attrs['to'] ?? this.#jid), stream)
    if (answer === 'not-found') return void refuse('cancel', 'item-not-found')
    if (!answer) return void refuse('cancel', 'feature-not-implemented')
    reply({ type: 'result' }, ...answer)
  }

  #answerQuery(query: Stanza, to: string, stream: Stream): readonly Stanza[] | 'not-found' | undefined {
    const xmlns = query.getNS()
    if (xmlns === DISCO_INFO) return [describe(to, this.#jid)]
    if (xmlns === DISCO_ITEMS) return [xml('query', { xmlns }, xml('item', { jid: `upload.${DOMAIN}` }))]
    if (xmlns === UPLOAD) {
      const url = `${this.#url}/${randomUUID()}/${encodeURIComponent(String(query.attrs['filename']))}`
      return [xml('slot', { xmlns }, xml('put', { url }), xml('get', { url }))]
    }
    if (query.name === 'prefs') return [xml('prefs', { xmlns: ARCHIVE, default: 'always' })]
    if (xmlns === ARCHIVE) {
      const found = this.#archiveOf(to).answer(query)
      if (!found) return 'not-found'
      if (this.interject) stream.send(this.interject(String(query.attrs['queryid'])))
      for (const result of found.results) stream.send(xml('message', { from: to, to: this.#jid }, result))
      return [found.fin]
    }
    return ['enable', 'ping'].includes(query.name) ? [] : undefined
  }

  #enter(presence: Stanza, stream: Stream): void {
    const [room, nick] = splitJid(String(presence.attrs['to'] ?? ''))
    if (room === '') stream.isAvailable = true
    if (!ROOMS.includes(room)) return
    this.#nicks.set(room, nick)
    const x = xml('x', { xmlns: MUC_USER }, xml('item', { jid: `${this.#jid}/svc` }), xml('status', { code: '110' }))
    stream.send(xml('presence', { from: `${room}/${nick}`, to: this.#jid }, x))
  }

  #take(message: Stanza, stream: Stream, refuse: (type: string, name: string) => void): void {
    const reactions = message.getChild('reactions', REACTIONS)
    if (reactions) this.#react(String(reactions.attrs['id']), reactions.getChildText('reaction') ?? undefined)
    const received = message.getChild('received', RECEIPTS)
    if (received) this.receipts.push(String(received.attrs['id']))
    const body = message.getChildText('body')
    if (body === null || body === undefined) return
    const fault = this.faults.next()
    if (fault === 'lost') return void stream.cut()
    if (fault !== undefined && fault !== 'unanswered') return void refuse(...ERROR_OF[fault])
    const chatId = String(message.attrs['to'])
    const isRoom = message.attrs['type'] === 'groupchat'
    const archiveId = randomUUID()
    const from = isRoom ? `${chatId}/${this.#nicks.get(chatId)}` : `${this.#jid}/svc`
    const shown = copyStanza(message, { from, to: isRoom ? this.#jid : chatId })
    this.#archiveOf(isRoom ? chatId : this.#jid).add(archiveId, chatId, copyStanza(shown))
    this.#record(message, { messageId: isRoom ? archiveId : String(message.attrs['id']), chatId })
    if (fault === 'unanswered') return void stream.cut()
    if (isRoom) stream.send(copyStanza(shown, {}, xml('stanza-id', { xmlns: STANZA_ID, by: chatId, id: archiveId })))
  }

  #record(message: Stanza, { messageId, chatId }: { readonly messageId: string; readonly chatId: string }): void {
    const raw = message.getChildText('body') ?? ''
    const address = message.getChild('x', FILE_ADDRESS)?.getChildText('url') ?? undefined
    const path = address === undefined ? '' : new URL(address).pathname
    const bytes = this.#files.get(path)
    const files = bytes ? [{ name: decodeURIComponent(path.split('/').at(-1) ?? ''), bytes }] : []
    const replyTo = message.getChild('reply', REPLY)?.attrs['id'] as string | undefined
    this.sent.push({
      ...{ messageId, chatId, raw, visible: bytes ? '' : raw, versions: [raw], buttons: [], files },
      ...(replyTo !== undefined && { replyTo }),
    })
  }

  #react(messageId: string, emoji: string | undefined): void {
    const before = this.reactions.findLast((each) => each.messageId === messageId && each.isThere)
    if (before) before.isThere = false
    if (emoji !== undefined) this.reactions.push({ messageId, emoji, isThere: true })
  }

  #say(person: string, room: string | undefined, text: string, options: SayOptions = {}): string {
    const id = options.messageId ?? randomUUID()
    const said = options.mention && room !== undefined ? `${this.#nicks.get(room) ?? 'svc'}: ${text}` : text
    const reply = options.quote === undefined ? [] : [xml('reply', { xmlns: REPLY, id: options.quote })]
    if (text !== '' || !options.files?.length) this.#bring(person, room, id, [xml('body', {}, said), ...reply])
    for (const { name, bytes } of options.files ?? []) {
      const path = `/${randomUUID()}/${encodeURIComponent(name)}`
      this.#files.set(path, bytes)
      const url = `${this.#url}${path}`
      const children = [xml('body', {}, url), xml('x', { xmlns: FILE_ADDRESS }, xml('url', {}, url))]
      this.#bring(person, room, text === '' ? id : randomUUID(), children)
    }
    return id
  }

  /** Stores what a person said, and shows it to svc, if it is there. */
  #bring(person: string, room: string | undefined, id: string, children: readonly Stanza[]): void {
    const by = room ?? this.#jid
    const nick = person.split('@')[0]
    const from = room === undefined ? `${person}/phone` : `${room}/${nick}`
    const message = xml(
      'message',
      { from, to: this.#jid, type: room === undefined ? 'chat' : 'groupchat', id },
      ...children,
    )
    const bring = () => {
      const item = xml('x', { xmlns: MUC_USER }, xml('item', { jid: `${person}/phone` }))
      this.#archiveOf(by).add(id, person, copyStanza(message, {}, ...(room === undefined ? [] : [item])))
      if (room !== undefined) this.tell(xml('presence', { from, to: this.#jid }, item))
      this.tell(copyStanza(message, {}, xml('stanza-id', { xmlns: STANZA_ID, by, id })))
    }
    const fault = this.fault
    if (fault === 'late' || fault === 'twice') this.fault = undefined
    if (fault === 'late') {
      this.#late = bring
      return
    }
    bring()
    if (fault === 'twice') bring()
    this.#release()
  }

  #release(): void {
    const late = this.#late
    this.#late = undefined
    late?.()
  }

  #archiveOf(jid: string): KeptMessages {
    const known = this.#archives.get(jid) ?? new KeptMessages()
    this.#archives.set(jid, known)
    return known
  }
}

/** What a part of the service can do. */
function describe(to: string, jid: string): Stanza {
  const features: Readonly<Record<string, readonly string[]>> = { [jid]: [ARCHIVE], [`upload.${DOMAIN}`]: [UPLOAD] }
  const names = ROOMS.includes(to) ? [MUC, ARCHIVE, OCCUPANT_ID] : (features[to] ?? [])
  return xml('query', { xmlns: DISCO_INFO }, ...names.map((name) => xml('feature', { var: name })))
}
