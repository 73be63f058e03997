/** Rooms (XEP-0045): joined, and who is in them. */
import { xml } from '@xmpp/client'
import type { Clock, Logger } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { ARCHIVE, DISCO_INFO, MUC, MUC_USER, OCCUPANT_ID } from './namespaces.ts'
import type { Stanza, XmppSession } from './session.ts'

/** Status of a presence about ourselves. */
const SELF = '110'
const JOIN_MS = 20_000
/** Names that are tried when one is taken. */
const TRIES = 3

interface Room {
  nick: string
  /** Addresses without resources, by names in the room. */
  readonly people: Map<string, string>
  /** The same by the ids that the room gives out. */
  readonly byOccupant: Map<string, string>
  hasOccupantIds: boolean
  hasArchive: boolean
}

interface RoomsDeps {
  readonly session: XmppSession
  readonly clock: Clock
  readonly log: Logger
  /** The account is not in a room any more. */
  readonly removed: (room: string) => void
}

export class Rooms {
  readonly #deps: RoomsDeps
  readonly #joined: Map<string, Room> = new Map()
  /** Those that wait for their first presence. */
  readonly #joining: Map<string, { readonly room: Room; readonly settle: (problem?: string) => void }> = new Map()

  constructor(deps: RoomsDeps) {
    this.#deps = deps
  }

  /** Those that were joined. */
  names(): readonly string[] {
    return [...this.#joined.keys()]
  }

  has(room: string): boolean {
    return this.#joined.has(room)
  }

  hasArchive(room: string): boolean {
    return this.#joined.get(room)?.hasArchive === true
  }

  /** The name of the account in a room. */
  nickIn(room: string): string {
    return this.#joined.get(room)?.nick ?? ''
  }

  /**
   * Who wrote a message: the address where the room shows it, else the id that the room gives out, else the name, which another may
   * take. Of archived messages the room vouches for the address in them.
   */
  userOf(room: string, nick: string, message: Stanza, isArchived: boolean): string {
    const known = this.#joined.get(room)
    const occupant = known?.hasOccupantIds ? message.getChild('occupant-id', OCCUPANT_ID)?.attrs['id'] : undefined
    const shown = isArchived ? message.getChild('x', MUC_USER)?.getChild('item')?.attrs['jid'] : undefined
    const jid = shown === undefined ? undefined : toBare(String(shown))
    const present = isArchived ? known?.byOccupant.get(String(occupant)) : known?.people.get(nick)
    if (jid ?? present) return jid ?? present ?? ''
    return occupant === undefined ? `${room}/${nick}` : `${room}#${occupant}`
  }

  /** One that cannot be joined is told in the log; the others are. */
  async join(room: string, nickname: string): Promise<void> {
    const { log, clock } = this.#deps
    const features = await this.#features(room)
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const nick = attempt === 1 ? nickname : `${nickname}_${attempt}`
      const made: Room = {
        ...{ nick, people: new Map(), byOccupant: new Map() },
        hasOccupantIds: features.includes(OCCUPANT_ID),
        hasArchive: features.includes(ARCHIVE),
      }
      const settled = new Promise<string | undefined>((resolve) => {
        this.#joining.set(room, { room: made, settle: resolve })
      })
      // What was said before is read from the archive.
      const history = xml('history', { maxstanzas: '0' })
      await this.#deps.session.send(xml('presence', { to: `${room}/${nick}` }, xml('x', { xmlns: MUC }, history)))
      const problem = await waitAtMost(
        clock,
        JOIN_MS,
        settled.then((said) => ({ said })),
        { signal: this.#deps.session.signal },
      )
      this.#joining.delete(room)
      if (problem && problem.said === undefined) return
      const said = problem?.said ?? 'no answer'
      if (said !== 'conflict') return log.warn('a room could not be joined', { room, problem: said })
    }
    log.warn('a room could not be joined', { room, problem: 'the name is taken' })
  }

  presence(stanza: Stanza): void {
    const [room = '', nick = ''] = splitJid(String(stanza.attrs['from'] ?? ''))
    const joining = this.#joining.get(room)
    const type = stanza.attrs['type']
    if (type === 'error') return void joining?.settle(readProblem(stanza))
    const here = this.#joined.get(room) ?? joining?.room
    if (!here) return
    const x = stanza.getChild('x', MUC_USER)
    const isSelf = x?.getChildren('status').some(({ attrs }) => attrs['code'] === SELF) ?? false
    if (type === 'unavailable') {
      here.people.delete(nick)
      if (isSelf && this.#joined.delete(room)) this.#deps.removed(room)
      return
    }
    remember(here, nick, stanza)
    if (!isSelf || !joining) return
    here.nick = nick
    this.#joined.set(room, here)
    joining.settle()
  }

  async #features(room: string): Promise<readonly string[]> {
    const question = xml('iq', { type: 'get', to: room }, xml('query', { xmlns: DISCO_INFO }))
    const answer = await this.#deps.session.ask(question).catch(() => undefined)
    return listFeatures(answer)
  }
}

/** The address of a person in a room, if the room shows it. */
function remember(here: Room, nick: string, presence: Stanza): void {
  const jid = presence.getChild('x', MUC_USER)?.getChild('item')?.attrs['jid']
  if (jid === undefined) return
  here.people.set(nick, toBare(String(jid)))
  const occupant = here.hasOccupantIds ? presence.getChild('occupant-id', OCCUPANT_ID)?.attrs['id'] : undefined
  if (occupant !== undefined) here.byOccupant.set(String(occupant), toBare(String(jid)))
}

export function listFeatures(answer: Stanza | undefined): readonly string[] {
  const query = answer?.getChild('query', DISCO_INFO)
  return query?.getChildren('feature').map(({ attrs }) => String(attrs['var'])) ?? []
}

/** The address without its resource, in lower case, and the resource. */
export function splitJid(jid: string): readonly [bare: string, resource: string] {
  const at = jid.indexOf('/')
  return at < 0 ? [jid.toLowerCase(), ''] : [jid.slice(0, at).toLowerCase(), jid.slice(at + 1)]
}

export function toBare(jid: string): string {
  return splitJid(jid)[0]
}

function readProblem(stanza: Stanza): string {
  const names =
    stanza.getChild('error')?.children.flatMap((each) => (typeof each === 'string' ? [] : [each.name])) ?? []
  return names.find((name) => name !== 'text') ?? 'refused'
}
