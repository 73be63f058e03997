/** What was said while svc was away, where the server keeps it: ircv3.net/specs/extensions/chathistory. */
import { type Clock, type Logger, SvcError } from 'svc/sdk'
import { type IrcMessage, parseIrcNickname } from 'svc/sdk/kit/text'
import type { InboundMessage, ReadCursor } from 'svc/sdk/platform'
import type { IrcClient } from './client.ts'
import type { Pace } from './pace.ts'

/** Without one of them there is no history, or none with times. */
export const HISTORY: readonly string[] = ['message-tags', 'server-time', 'batch', 'draft/chathistory']

/** Servers of a network have neither one clock nor one order. */
const FUZZ_MS = 10_000
const MAX_PAGE = 100
const MAX_MISSED = 1000
/** The clock of the server is not ours. */
const LATER_THAN_ALL = '9999-12-31T23:59:59.999Z'

/** What it needs. */
export interface HistoryOptions {
  readonly client: IrcClient
  /** Keeps when the newest message that is safe was said. */
  readonly cursor: ReadCursor
  readonly pace: Pace
  readonly clock: Clock
  readonly log: Logger
}

/** Of one connection. */
export class History {
  readonly #options: HistoryOptions
  #newest = 0

  constructor(options: HistoryOptions) {
    this.#options = options
  }

  /** Known once the client is registered. */
  get isKept(): boolean {
    return HISTORY.every((capability) => this.#options.client.has(capability))
  }

  /** This message and those before it are safe. */
  taken({ at = 0 }: InboundMessage): void {
    if (!this.isKept || at <= this.#newest) return
    this.#newest = at
    this.#options.cursor.set(new Date(at).toISOString())
  }

  /** What others said in these channels, and to svc alone, oldest first. The first time of all: nothing. */
  async missed(channels: readonly string[]): Promise<readonly IrcMessage[]> {
    const { cursor, clock } = this.#options
    const kept = Date.parse(cursor.get() ?? '')
    if (Number.isNaN(kept)) {
      cursor.set(new Date(clock.now()).toISOString())
      return []
    }
    this.#newest = kept
    const since = new Date(kept - FUZZ_MS).toISOString()
    const found: IrcMessage[] = []
    for (const target of [...channels, ...(await this.#people(since))]) {
      const lines = await this.#after(target, since, MAX_MISSED - found.length)
      found.push(...lines.map((line) => this.#toUs(line, target)))
    }
    return found
      .filter((line) => !this.#isOurs(line) && (parseServerTime(line) > kept || this.#isKnownAgain(line)))
      .sort((one, two) => parseServerTime(one) - parseServerTime(two))
  }

  /** Nicknames of those who wrote to svc alone since then, or were written to. */
  async #people(since: string): Promise<readonly string[]> {
    const { client } = this.#options
    const answers = await this.#ask(`TARGETS timestamp=${since} timestamp=${LATER_THAN_ALL} ${MAX_PAGE}`)
    return answers
      .filter(({ command, params }) => command === 'CHATHISTORY' && params[0] === 'TARGETS')
      .map(({ params }) => params[1] ?? '')
      .filter((target) => target !== '' && !/[\s,:]/.test(target) && !client.isChannel(target))
  }

  async #after(target: string, since: string, most: number): Promise<readonly IrcMessage[]> {
    const { client, log } = this.#options
    const limit = Math.min(Number(client.support('CHATHISTORY')) || MAX_PAGE, MAX_PAGE)
    const found: IrcMessage[] = []
    for (let from = `timestamp=${since}`; found.length < most; ) {
      const page = findBatch(await this.#ask(`AFTER ${target} ${from} ${limit}`))
      const last = page.at(-1)
      found.push(...page)
      if (!last || page.length < limit) return found
      const id = last.tags.get('msgid')
      from = id === undefined ? `timestamp=${last.tags.get('time')}` : `msgid=${id}`
    }
    log.warn('more was said on IRC than is read back', { target, messages: found.length })
    return found
  }

  async #ask(command: string): Promise<readonly IrcMessage[]> {
    const { client, pace, log } = this.#options
    const { outcome, answers } = await client.ask([`CHATHISTORY ${command}`], (signal) => pace.turn(signal))
    if (outcome !== 'answered') throw new SvcError('IRC_UNANSWERED', 'The IRC server did not answer in time.')
    const failure = answers.find(({ command, params }) => command === 'FAIL' && params[0] === 'CHATHISTORY')
    if (failure)
      log.warn('the IRC server does not give what was said', { asked: command, reason: failure.params.at(-1) })
    return answers
  }

  /** A direct message to svc names the nickname that svc had then. */
  #toUs(line: IrcMessage, target: string): IrcMessage {
    const { client } = this.#options
    const isFromThem = client.fold(parseIrcNickname(line.prefix)) === client.fold(target)
    return isFromThem ? { ...line, params: [client.nick, ...line.params.slice(1)] } : line
  }

  /** Whether the gateway knows it by its chat and its id, as it came before: some servers keep no accounts. */
  #isKnownAgain({ tags, params }: IrcMessage): boolean {
    return tags.has('msgid') && (tags.has('account') || this.#options.client.isChannel(params[0] ?? ''))
  }

  /** By any nickname. */
  #isOurs({ prefix, tags }: IrcMessage): boolean {
    const { client } = this.#options
    const [, address] = client.prefix?.split('!') ?? []
    const account = tags.get('account')?.toLowerCase()
    return (account !== undefined && account === client.account?.toLowerCase()) || prefix.split('!')[1] === address
  }
}

/** Lines of the batch that was asked for: ircv3.net/specs/extensions/batch. */
function findBatch(answers: readonly IrcMessage[]): readonly IrcMessage[] {
  const opening = answers.find(({ command, params }) => command === 'BATCH' && params[1] === 'chathistory')
  const id = opening?.params[0]?.slice(1)
  return id === undefined ? [] : answers.filter(({ tags }) => tags.get('batch') === id)
}

function parseServerTime({ tags }: IrcMessage): number {
  return Date.parse(tags.get('time') ?? '') || 0
}
