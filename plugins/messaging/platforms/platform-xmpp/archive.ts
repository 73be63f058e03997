/** Archives of messages (XEP-0313): of the account, and of rooms. */
import { xml } from '@xmpp/client'
import { deliveryUncertain } from 'svc/sdk/platform'
import { ARCHIVE, DELAY, FORWARD, PAGES } from './namespaces.ts'
import type { Stanza, XmppSession } from './session.ts'

/** A message as it was stored. */
export interface ArchivedMessage {
  readonly id: string
  /** In milliseconds since 1970. */
  readonly at: number | undefined
  readonly message: Stanza
}

/** What is asked for. */
export interface ArchiveQuery {
  /** A room; left out: the archive of the account. */
  readonly room?: string
  /** Only messages from and to this address. */
  readonly person?: string
  /** Behind the message with this id; `latest`: the last ones. */
  readonly after: string | 'latest'
  readonly count: number
}

interface Page {
  readonly messages: readonly ArchivedMessage[]
  readonly isComplete: boolean
}

/** Of an archive that was empty when it was first looked at: all of it is new. */
export const BEGINNING = '@1970-01-01T00:00:00Z'

export class Archive {
  readonly #session: XmppSession
  readonly #own: string
  /** What arrived, by the id of its query. */
  readonly #open: Map<string, { readonly from: string; readonly messages: ArchivedMessage[] }> = new Map()
  #count = 0

  constructor(session: XmppSession, own: string) {
    this.#session = session
    this.#own = own
  }

  /** True if it was a part of an answer. */
  take(stanza: Stanza): boolean {
    const result = stanza.getChild('result', ARCHIVE)
    if (!result) return false
    const open = this.#open.get(String(result.attrs['queryid']))
    const from = String(stanza.attrs['from'] ?? this.#own)
    const forwarded = result.getChild('forwarded', FORWARD)
    const message = forwarded?.getChild('message')
    // Others may send what looks like an answer.
    if (!open || from !== open.from || !message) return true
    const at = Date.parse(String(forwarded?.getChild('delay', DELAY)?.attrs['stamp']))
    open.messages.push({ id: String(result.attrs['id']), at: Number.isNaN(at) ? undefined : at, message })
    return true
  }

  /** Throws as `XmppSession.ask` does. */
  async query({ room, person, after, count }: ArchiveQuery): Promise<Page> {
    const id = `svc-${++this.#count}`
    const fields = [
      createField('FORM_TYPE', ARCHIVE, { type: 'hidden' }),
      ...(person === undefined ? [] : [createField('with', person)]),
      ...(after.startsWith('@') ? [createField('start', after.slice(1))] : []),
    ]
    const where = after.startsWith('@') ? [] : [after === 'latest' ? xml('before') : xml('after', {}, after)]
    const query = xml(
      'query',
      { xmlns: ARCHIVE, queryid: id },
      xml('x', { xmlns: 'jabber:x:data', type: 'submit' }, ...fields),
      xml('set', { xmlns: PAGES }, xml('max', {}, String(count)), ...where),
    )
    const open = { from: room ?? this.#own, messages: [] }
    this.#open.set(id, open)
    try {
      const answer = await this.#session.ask(xml('iq', { type: 'set', ...(room !== undefined && { to: room }) }, query))
      return { messages: open.messages, isComplete: answer.getChild('fin', ARCHIVE)?.attrs['complete'] === 'true' }
    } finally {
      this.#open.delete(id)
    }
  }

  /** Has the server store all messages of the account. Throws if it does not: then what it does not have may have been sent. */
  async keepAll(): Promise<void> {
    const answer = await this.#session.ask(xml('iq', { type: 'get' }, xml('prefs', { xmlns: ARCHIVE })))
    if (answer.getChild('prefs', ARCHIVE)?.attrs['default'] === 'always') return
    const always = xml('prefs', { xmlns: ARCHIVE, default: 'always' }, xml('always'), xml('never'))
    const set = await this.#session.ask(xml('iq', { type: 'set' }, always))
    const now = set.getChild('prefs', ARCHIVE)?.attrs['default'] ?? 'always'
    if (now !== 'always')
      throw deliveryUncertain('PLATFORM_UNREACHABLE', 'The XMPP server does not store all messages of the account.')
  }
}

function createField(name: string, value: string, more: object = {}): Stanza {
  return xml('field', { var: name, ...more }, xml('value', {}, value))
}
