/** The channels that svc is in, and the way back into them. */
import type { Clock, Logger } from 'svc/sdk'
import { backoff } from 'svc/sdk/kit/async'
import { type IrcMessage, parseIrcNickname } from 'svc/sdk/kit/text'
import type { IrcClient } from './client.ts'

const REJOIN = { firstMs: 10_000, maxMs: 320_000 }
const MAX_REJOINS = 6
const RECLAIM_MS = 60_000
/** ERR_NOSUCHCHANNEL, ERR_TOOMANYCHANNELS, ERR_UNAVAILRESOURCE, 471 to 477 and the like: RFC 2812, section 5.2. */
const REFUSALS = /^(403|405|437|47[1-7]|489)$/

/** What it needs. */
export interface ChannelsOptions {
  readonly client: IrcClient
  readonly clock: Clock
  readonly log: Logger
  /** As configured, with keys behind blanks. */
  readonly wanted: readonly string[]
}

export class Channels {
  readonly #options: ChannelsOptions
  readonly #absences: Map<string, number> = new Map()

  constructor(options: ChannelsOptions) {
    this.#options = options
  }

  /** Resolves when the server has answered. Private messages work where channels cannot be joined. */
  async join(): Promise<void> {
    const { client, wanted } = this.#options
    if (wanted.length > 0) await client.ask(wanted.map(joinLine))
  }

  /** A channel could not be joined: perhaps only until the services know who svc is. */
  refused({ command, params }: IrcMessage): void {
    if (!REFUSALS.test(command)) return
    const [, channel = ''] = params
    this.#comeBack(channel, 'an IRC channel could not be joined', `${params.at(-1) ?? ''} (${command})`)
  }

  kicked({ params }: IrcMessage): void {
    const [channel = '', nick = '', reason = ''] = params
    if (this.#options.client.isOwn(nick)) this.#comeBack(channel, 'svc was kicked from an IRC channel', reason)
  }

  /** After a while, each time later. */
  #comeBack(channel: string, what: string, reason: string): void {
    const { client, clock, log, wanted } = this.#options
    const key = client.fold(channel)
    const join = wanted.find((each) => client.fold(each.split(/\s/, 1)[0] ?? '') === key)
    if (join === undefined) return
    const absences = this.#absences.get(key) ?? 0
    this.#absences.set(key, absences + 1)
    log.warn(what, { channel, reason, again: absences < MAX_REJOINS })
    if (absences >= MAX_REJOINS) return
    const wait = clock.sleep(backoff(REJOIN, absences + 1), client.signal)
    wait.then(() => client.tell(joinLine(join))).catch(() => undefined)
  }
}

/** A key follows the name. */
function joinLine(channel: string): string {
  return `JOIN ${channel.replace(/\s+/, ' ')}`
}

/** Takes the nickname that was wanted as soon as it is free. */
export class Nickname {
  readonly #client: IrcClient
  readonly #wanted: string

  constructor(client: IrcClient, wanted: string) {
    this.#client = client
    this.#wanted = wanted
  }

  /** Requests the nickname periodically until the connection ends. The server refuses it while another user has it. */
  async reclaim(clock: Clock): Promise<void> {
    for (;;) {
      await clock.sleep(RECLAIM_MS, this.#client.signal)
      this.#take()
    }
  }

  /** The other user left or took another nickname. */
  changed({ prefix }: IrcMessage): void {
    if (this.#client.fold(parseIrcNickname(prefix)) === this.#client.fold(this.#wanted)) this.#take()
  }

  #take(): void {
    if (!this.#client.isOwn(this.#wanted)) this.#client.tell(`NICK ${this.#wanted}`)
  }
}
