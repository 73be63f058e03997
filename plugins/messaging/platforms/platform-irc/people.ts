/** Identities on IRC, where a nickname belongs to the user who takes it first. */

import { type Clock, tryParseJson } from 'svc/sdk'
import { setBounded } from 'svc/sdk/kit/state'
import { type IrcMessage, parseIrcNickname } from 'svc/sdk/kit/text'
import { deliveryBusy, type ReadCursor } from 'svc/sdk/platform'
import { z } from 'zod'
import type { IrcClient } from './client.ts'
import { userhosts } from './message.ts'

/** Milliseconds for which a person who wrote counts as present without a lookup. */
const TRUSTED_MS = 60_000
const MAX_KNOWN = 1000
/** Those who wrote last are still known after a restart. */
const MAX_KEPT = 50
/** Nicknames that one USERHOST takes (RFC 1459, section 5.7). */
const MAX_ASKED = 5

const kept = z.array(z.tuple([z.string(), z.string(), z.number()])).catch([])

/** Where a person was seen last. */
interface Sighting {
  readonly nick: string
  readonly at: number
}

/** Ids of people, and their nicknames. */
export class People {
  readonly #client: IrcClient
  readonly #clock: Clock
  readonly #cursor: ReadCursor
  readonly #seen: Map<string, Sighting>

  /** `cursor` keeps who was seen last. */
  constructor(client: IrcClient, clock: Clock, cursor: ReadCursor) {
    this.#client = client
    this.#clock = clock
    this.#cursor = cursor
    const before = kept.parse(tryParseJson(cursor.get() ?? '')?.value)
    this.#seen = new Map(before.map(([id, nick, at]) => [id, { nick, at }]))
  }

  /** The id of the sender: the account if the server vouches for it (IRCv3 account-tag), else the whole mask. */
  getSenderId({ tags, prefix }: IrcMessage): string {
    const account = this.#client.has('account-tag') ? tags.get('account') : undefined
    return this.#id(prefix, account)
  }

  /** A person has this nickname now. */
  saw(id: string, nick: string): void {
    setBounded(this.#seen, id, { nick, at: this.#clock.now() }, MAX_KNOWN)
    this.#keep()
  }

  /** A person took another nickname or left: its owner has to be looked up. */
  changed(message: IrcMessage): void {
    const nick = this.#client.fold(parseIrcNickname(message.prefix))
    const before = this.#seen.size
    for (const [id, sighting] of this.#seen) if (this.#client.fold(sighting.nick) === nick) this.#seen.delete(id)
    if (this.#seen.size < before) this.#keep()
  }

  /** The nickname of a person now. A nickname without an account means its current owner. Throws `IRC_ABSENT`. */
  async nickFor(id: string): Promise<string> {
    const isAccount = id.startsWith('account:')
    if (!isAccount && !id.includes('!')) return id
    const sighting = this.#seen.get(id)
    if (sighting && !this.#isOld(sighting)) return sighting.nick
    const guess = sighting?.nick ?? (isAccount ? id.slice('account:'.length) : parseIrcNickname(id))
    if (await this.#has(guess, id)) {
      this.saw(id, guess)
      return guess
    }
    throw deliveryBusy(
      'IRC_ABSENT',
      `${id} is not on IRC now, or another user has the nickname ${guess}. It is tried again.`,
    )
  }

  #isOld({ at }: Sighting): boolean {
    return Math.abs(this.#clock.now() - at) >= TRUSTED_MS
  }

  #keep(): void {
    const newest = [...this.#seen].slice(-MAX_KEPT).map(([id, { nick, at }]) => [id, nick, at])
    this.#cursor.set(JSON.stringify(newest))
  }

  /** By USERHOST, which servers answer without a penalty; WHOIS is for accounts and hosts that are shown in another way. */
  async #has(nick: string, id: string): Promise<boolean> {
    if (id.startsWith('account:')) return this.#isKnownBy(nick, id)
    const others = [...this.#seen].filter(([other, each]) => other !== id && other.includes('!') && this.#isOld(each))
    const asked = [nick, ...others.slice(1 - MAX_ASKED).map(([, each]) => each.nick)]
    const { answers } = await this.#client.ask([`USERHOST ${asked.join(' ')}`])
    const there = answers.filter(({ command }) => command === '302').flatMap(({ params }) => userhosts(params.at(-1)))
    const ids = new Set(there.map((each) => this.#id(`${each.nick}!${each.address}`, undefined)))
    for (const [other, { nick: known }] of others) if (ids.has(other)) this.saw(other, known)
    if (ids.has(id)) return true
    const isThere = there.some((each) => this.#client.fold(each.nick) === this.#client.fold(nick))
    return isThere && this.#isKnownBy(nick, id)
  }

  /** RPL_WHOISUSER (311) and RPL_WHOISACCOUNT (330, modern.ircdocs.horse/#rplwhoisaccount-330). */
  async #isKnownBy(nick: string, id: string): Promise<boolean> {
    const { answers } = await this.#client.ask([`WHOIS ${nick}`])
    const about = answers.filter(({ params }) => this.#client.fold(params[1] ?? '') === this.#client.fold(nick))
    const [, shown = '', user = '', host = ''] = about.find(({ command }) => command === '311')?.params ?? []
    const account = about.find(({ command }) => command === '330')?.params[2]
    const ids = [this.#id(`${shown}!${user}@${host}`, undefined), ...(account ? [this.#id('', account)] : [])]
    return ids.includes(id)
  }

  #id(prefix: string, account: string | undefined): string {
    return account ? `account:${account.toLowerCase()}` : prefix.toLowerCase()
  }
}
