/** What the configuration and the environment say about the account. */
import type { Secrets } from 'svc/sdk'
import type { Config } from './config.ts'

export interface XmppAccount {
  /** Without a resource, in lower case. */
  readonly jid: string
  readonly local: string
  readonly domain: string
  readonly password: string
  /** For the library: `xmpp` begins TLS later, `xmpps` at once; the domain alone is looked up in DNS. */
  readonly service: string
  readonly isTlsOptional: boolean
  readonly nickname: string
  readonly rooms: readonly string[]
}

/** An address without a resource (RFC 7622, in the part that is used in practice). */
export const BARE_JID = /^[^\s@/"&'<>:]+@[^\s@/"&'<>:]+$/

export function readAccount(config: Config, secrets: Pick<Secrets, 'get'>): XmppAccount {
  const jid = (secrets.get('XMPP_JID') ?? '').trim().toLowerCase()
  const [local = '', domain = ''] = jid.split('@')
  const scheme = config.tls === 'direct' ? 'xmpps' : 'xmpp'
  return {
    ...{ jid, local, domain, password: secrets.get('XMPP_PASSWORD') ?? '' },
    service: config.server === '' ? domain : `${scheme}://${config.server}`,
    isTlsOptional: config.tls === 'optional',
    nickname: config.nickname || local,
    rooms: config.join.map((room) => room.trim().toLowerCase()),
  }
}

/** A sentence; undefined when nothing is. */
export function describeMissing({ jid, password, rooms }: XmppAccount): string | undefined {
  const names = [...(jid === '' ? ['XMPP_JID'] : []), ...(password === '' ? ['XMPP_PASSWORD'] : [])]
  if (names.length > 0) return `needs ${names.join(' and ')}`
  if (!BARE_JID.test(jid)) return `XMPP_JID is "${jid}", which is no address such as svc@example.com.`
  const odd = rooms.find((room) => !BARE_JID.test(room))
  return odd === undefined ? undefined : `platforms.xmpp.join has "${odd}", which is no address of a room.`
}
