/** Who is who on IRC, where a nickname belongs to whoever takes it. */
import { busy, type Clock } from 'svc/sdk'
import type { IrcClient } from './client.ts'
import { type IrcMessage, nickOf } from './message.ts'

/** Milliseconds for which somebody who wrote is still there without a look. */
const TRUSTED_MS = 60_000
const MOST_KNOWN = 1000

/** Where somebody was seen last. */
interface Sighting {
  readonly nick: string
  readonly at: number
}

/** Ids of people, and their nicknames. */
export class People {
  readonly #client: IrcClient
  readonly #clock: Clock
  readonly #seen: Map<string, Sighting> = new Map()

  constructor(client: IrcClient, clock: Clock) {
    this.#client = client
    this.#clock = clock
  }

  /** The id of whoever wrote it: by account when the server vouches for it (IRCv3 account-tag), else by the whole mask. */
  idOf({ tags, prefix }: IrcMessage): string {
    const account = this.#client.has('account-tag') ? tags.get('account') : undefined
    return this.#id(prefix, account)
  }

  /** Somebody has this nickname now. */
  saw(id: string, nick: string): void {
    this.#seen.delete(id)
    this.#seen.set(id, { nick, at: this.#clock.monotonic() })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > MOST_KNOWN && oldest !== undefined) this.#seen.delete(oldest)
  }

  /** Somebody took another nickname or left: who has it is to be looked up. */
  changed(message: IrcMessage): void {
    const nick = this.#client.fold(nickOf(message.prefix))
    for (const [id, sighting] of this.#seen) if (this.#client.fold(sighting.nick) === nick) this.#seen.delete(id)
  }

  /** The nickname of a person now. A mere nickname stands for whoever has it. Throws `IRC_ABSENT`. */
  async nickFor(id: string): Promise<string> {
    const isAccount = id.startsWith('account:')
    if (!isAccount && !id.includes('!')) return id
    const sighting = this.#seen.get(id)
    if (sighting && this.#clock.monotonic() - sighting.at < TRUSTED_MS) return sighting.nick
    const guess = sighting?.nick ?? (isAccount ? id.slice('account:'.length) : nickOf(id))
    if (await this.#has(guess, id)) {
      this.saw(id, guess)
      return guess
    }
    throw busy('IRC_ABSENT', `${id} is not on IRC now, or somebody else is called ${guess}. It is tried again.`)
  }

  /** RPL_WHOISUSER (311) and RPL_WHOISACCOUNT (330, modern.ircdocs.horse/#rplwhoisaccount-330). */
  async #has(nick: string, id: string): Promise<boolean> {
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
