/** IRC as a platform: RFC 1459, RFC 2812 and IRCv3 (ircv3.net), without a library. */
import { type Clock, type Logger, type Random, type Secrets, SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { escapeIrcTag, type IrcMessage, parseIrcNickname } from 'svc/sdk/kit/text'
import {
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type Markup,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  type SendReceipt,
} from 'svc/sdk/platform'
import { describeMissing, type IrcAccount, ircAccount } from './account.ts'
import { Channels, Nickname } from './channels.ts'
import { IrcClient } from './client.ts'
import type { Config } from './config.ts'
import { readReceipt } from './delivery.ts'
import { History } from './history.ts'
import { isAddressed, LOCAL, toInbound } from './inbound.ts'
import { Inbox } from './inbox.ts'
import { BURST, Pace } from './pace.ts'
import { People } from './people.ts'
import { linesFor, parseCtcp } from './text.ts'

const MAX_BYTES = 400
const PROBE_MS = 10_000
const MAX_CTCP = 5
/** IRC has no code formatting: visible marks show where it begins and ends. */
const markup: Markup = {
  code: ['`', '`'],
  fence: (code, language) => `\`\`\`${language}\n${code}\n\`\`\``,
}

export interface IrcDeps {
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Pick<Secrets, 'get'>
  readonly log: Logger
}

/** All that lives as long as one connection. */
interface Session {
  readonly client: IrcClient
  readonly people: People
  readonly channels: Channels
  readonly nickname: Nickname
  readonly pace: Pace
  readonly ctcpPace: Pace
  readonly inbox: Inbox
  readonly history: History
  /** `connect` has resolved: from now on its end is said. */
  isConnected: boolean
}

export class IrcPlatform implements Platform {
  readonly name = 'irc'
  readonly label = 'IRC'
  readonly hint = 'Answers are sent line by line: write a few short lines.'
  readonly limits: PlatformLimits
  readonly settings: Config
  readonly access = {
    users: 'IRC_ALLOWED_USERS',
    everyone: 'IRC_ALLOW_ALL_USERS',
    home: 'IRC_HOME_CHANNEL',
  }
  readonly #ports: () => IrcDeps
  #session: Session | undefined
  /** The end of what is being sent: a message at a time, so that it is known whose answers come. */
  #sending: Promise<unknown> = Promise.resolve()

  /** `ports` is asked at each connection. */
  constructor(config: Config, ports: () => IrcDeps) {
    this.settings = config
    this.#ports = ports
    const rate =
      config.line_delay_ms > 0 ? { rate: { all: { count: BURST, perMs: BURST * config.line_delay_ms } } } : {}
    // Clients of IRC keep lines that begin with a slash for themselves.
    this.limits = {
      ...{ maxTextLength: MAX_BYTES, measure: 'bytes', idempotency: 'none', commits: true, commandPrefix: '!' },
      ...rate,
      markup,
    }
  }

  missing(): string | undefined {
    return describeMissing(this.#account())
  }

  /** www.iana.org/assignments/uri-schemes/prov/irc; the nickname is that of a person, not a channel. */
  async contact(): Promise<string | undefined> {
    const { server, port, tls, nickname } = this.#account()
    if (!server || !nickname) return undefined
    return `${tls ? 'ircs' : 'irc'}://${server}:${port}/${encodeURIComponent(nickname)},isnick`
  }

  account(): string | undefined {
    const { server, port, nickname } = this.#account()
    return server && nickname ? `${server}:${port}/${nickname}`.toLowerCase() : undefined
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    link.signal.throwIfAborted()
    const account = this.#account()
    const ports = this.#ports()
    const { clock, random, log } = ports
    const client = new IrcClient({
      account,
      clock,
      random,
      listener: {
        message: (message) => this.#take(message, client, link),
        lost: (reason) => this.#lost(reason, client, link),
      },
    })
    const wanted = account.channels
    const pace = new Pace(clock, this.settings.line_delay_ms)
    const history = new History({ client, cursor: link.cursor(this.account() ?? ''), pace, clock, log })
    const session: Session = {
      client,
      people: new People(client, clock, link.cursor(`${this.account() ?? ''} people`)),
      channels: new Channels({ client, clock, log, wanted }),
      nickname: new Nickname(client, account.nickname),
      pace,
      ctcpPace: new Pace(clock, PROBE_MS, MAX_CTCP),
      history,
      inbox: new Inbox({ link, clock, log, history, signal: client.signal }),
      isConnected: false,
    }
    this.#session = session
    await client.connect(link.signal)
    if (!history.isKept) session.inbox.open()
    await identify(account, client)
    await session.channels.join()
    if (client.signal.aborted) throw new SvcError('IRC_UNREACHABLE', `${account.server} ended the connection at once.`)
    session.isConnected = true
    session.nickname.reclaim(clock).catch(() => undefined)
    if (history.isKept)
      void this.#catchUp(
        session,
        wanted.map((each) => each.split(/\s/, 1)[0] ?? ''),
      )
  }

  /** One message at a time; lines are paced, and the server's answer to all of them is awaited. */
  send(message: OutboundMessage): Promise<SendReceipt> {
    const sent = this.#sending.then(() => this.#send(message))
    this.#sending = sent.catch(() => undefined)
    return sent
  }

  async probe(): Promise<boolean> {
    const client = this.#session?.client
    if (!client || client.signal.aborted) return false
    const answer = await waitAtMost(this.#ports().clock, PROBE_MS, client.ask(), { signal: client.signal })
    return answer?.outcome === 'answered'
  }

  async close(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    session?.client.close()
  }

  #account(): IrcAccount {
    return ircAccount(this.settings, this.#ports().secrets)
  }

  #lost(reason: string, client: IrcClient, link: GatewayConnection): void {
    const session = this.#session
    if (session?.client !== client || !session.isConnected) return
    this.#session = undefined
    link.lost(`The IRC server ended the connection: ${reason}.`)
  }

  async #send({ chatId, text, replyTo, commit }: OutboundMessage): Promise<SendReceipt> {
    const session = this.#session
    if (!session || session.client.signal.aborted)
      throw deliveryBusy('IRC_DISCONNECTED', 'IRC is not connected now. It is connected again automatically.')
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw deliveryRefused(
        'IRC_LONG',
        `A message for IRC has ${Buffer.byteLength(text)} bytes. Send at most ${MAX_BYTES}.`,
      )
    const { client, pace } = session
    const target = await resolveTarget(chatId, session)
    const isMarked = replyTo && !replyTo.startsWith(LOCAL) && client.has('message-tags')
    const tags = isMarked ? `@+draft/reply=${escapeIrcTag(replyTo)} ` : ''
    const lines = linesFor(text, target, client.prefix).map((line) => `PRIVMSG ${target} :${line}`)
    let isCommitted = false
    const turn = async (signal: AbortSignal) => {
      await pace.turn(signal)
      if (!isCommitted) commit?.()
      isCommitted = true
    }
    const answered = await client.ask(
      lines.map((line, at) => (at === 0 ? tags + line : line)),
      turn,
    )
    const receipt = readReceipt({ ...answered, target, client })
    return receipt ?? { messageId: `${LOCAL}${this.#ports().random.hex(8)}` }
  }

  #take(message: IrcMessage, client: IrcClient, link: GatewayConnection): void {
    const session = this.#session
    if (session?.client !== client) return
    link.alive()
    session.channels.refused(message)
    if (message.command === 'KICK') session.channels.kicked(message)
    if (message.command === 'NICK' || message.command === 'QUIT') {
      session.people.changed(message)
      session.nickname.changed(message)
    }
    // In a batch is what was asked for.
    if (message.command === 'PRIVMSG' && !message.tags.has('batch')) this.#hear(message, session)
  }

  #hear(message: IrcMessage, session: Session): void {
    const { client, people, inbox } = session
    const nick = parseIrcNickname(message.prefix)
    const ctcp = isAddressed(message, client) ? parseCtcp(message.params[1] ?? '') : undefined
    if (ctcp && ctcp.command !== 'ACTION') return void answerCtcp(ctcp.command, ctcp.argument, nick, session)
    const inbound = toInbound(message, { client, people, random: this.#ports().random })
    if (inbound?.chatKind === 'dm') people.saw(inbound.userId, nick)
    if (inbound) inbox.add(inbound)
  }

  /** Missed messages are handled before new ones. Their authors may have left. */
  async #catchUp({ client, people, history, inbox }: Session, channels: readonly string[]): Promise<void> {
    const { random, log } = this.#ports()
    const missed = await history.missed(channels).catch((error: unknown) => {
      if (!client.signal.aborted) log.warn('what was said on IRC is not read back', { error })
      return []
    })
    if (!client.signal.aborted) inbox.open(missed.flatMap((each) => toInbound(each, { client, people, random }) ?? []))
  }
}

/** To the services that know the account, where SASL did not do it: `IDENTIFY` is what all of them understand. */
async function identify({ account, nickserv, password }: IrcAccount, client: IrcClient): Promise<void> {
  if (password && nickserv && !client.isIdentified)
    await client.ask([`PRIVMSG ${nickserv} :IDENTIFY ${account} ${password}`])
}

/** The target of a message to this chat. A private answer is never sent to a user who took over a nickname. */
async function resolveTarget(chatId: string, { client, people }: Session): Promise<string> {
  const target = client.isChannel(chatId) ? chatId : await people.nickFor(chatId)
  if (/^$|^:|[\s,\0\x07]/.test(target))
    throw deliveryRefused(
      'IRC_TARGET',
      `IRC has no chat "${chatId}". A channel begins with #; a person is account:<name> or a nickname.`,
    )
  return target
}

/** Never so often that others can make svc flood. */
function answerCtcp(command: string, argument: string, nick: string, { client, ctcpPace }: Session): void {
  const answers: Readonly<Record<string, string>> = { VERSION: 'svc', PING: argument.slice(0, 100) }
  const answer = answers[command]
  if (answer !== undefined && ctcpPace.allows()) client.tell(`NOTICE ${nick} :\x01${command} ${answer}\x01`)
}
