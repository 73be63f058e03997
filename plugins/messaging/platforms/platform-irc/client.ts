/** A registered client: what was answered to what, although IRC does not say it. */
import type { Clock, Random } from 'svc/sdk'
import { SvcError } from 'svc/sdk'
import { type IrcMessage, parseIrcNickname } from 'svc/sdk/kit/text'
import type { IrcAccount } from './account.ts'
import { fold, userhosts } from './message.ts'
import { Registration } from './registration.ts'
import { openWire, type Wire } from './wire.ts'

const REGISTER_MS = 60_000
const ANSWER_MS = 60_000
/** More bytes than this before the response mean a malfunctioning server. */
const MAX_ANSWERS = 1000

/** What it is told. */
export interface ClientListener {
  message(message: IrcMessage): void
  /** Once, after it was connected and not closed. */
  lost(reason: string): void
}

/** What it needs. */
export interface ClientOptions {
  readonly account: IrcAccount
  readonly clock: Clock
  readonly random: Random
  readonly listener: ClientListener
}

/** How an exchange went. `unsent`: nothing left this machine. */
export interface Answered {
  readonly outcome: 'answered' | 'ended' | 'late' | 'unsent'
  readonly answers: readonly IrcMessage[]
}

/** Lines that are on their way, and what came back so far. */
class Exchange {
  readonly token: string
  readonly answers: IrcMessage[] = []
  readonly settled: Promise<'answered' | 'ended' | 'late'>
  settle: (how: 'answered' | 'ended' | 'late') => void = () => {}
  isSent = false

  constructor(token: string) {
    this.token = token
    this.settled = new Promise((resolve) => {
      this.settle = resolve
    })
  }

  outcome(how: 'answered' | 'ended' | 'late'): Answered {
    return { outcome: this.isSent ? how : 'unsent', answers: this.answers }
  }
}

export class IrcClient {
  readonly #options: ClientOptions
  readonly #exchanges: Set<Exchange> = new Set()
  readonly #abort = new AbortController()
  #wire: Wire | undefined
  #registration: Registration | undefined
  #nick = ''
  #prefix: string | undefined
  #isIdentified = false
  #capabilities: ReadonlySet<string> = new Set()
  /** `RPL_ISUPPORT`: modern.ircdocs.horse/#rplisupport-005. */
  readonly #supports: Map<string, string> = new Map()

  constructor(options: ClientOptions) {
    this.#options = options
  }

  get nick(): string {
    return this.#nick
  }

  /** What people call it: also the name that was wanted, for as long as it has another. */
  get names(): readonly string[] {
    const wanted = this.#options.account.nickname
    return this.isOwn(wanted) ? [this.#nick] : [this.#nick, wanted]
  }

  /** As others see it; undefined until the server showed it. */
  get prefix(): string | undefined {
    return this.#prefix
  }

  get isIdentified(): boolean {
    return this.#isIdentified
  }

  /** The account at the services, if they identified and confirmed it. */
  get account(): string | undefined {
    return this.#isIdentified ? this.#options.account.account : undefined
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  has(capability: string): boolean {
    return this.#capabilities.has(capability)
  }

  /** A value of RPL_ISUPPORT. */
  support(name: string): string | undefined {
    return this.#supports.get(name)
  }

  /** A name as it is compared. */
  fold(name: string): string {
    return fold(name, this.#supports.get('CASEMAPPING'))
  }

  isOwn(nick: string): boolean {
    return this.fold(nick) === this.fold(this.#nick)
  }

  isChannel(name: string): boolean {
    return (this.#supports.get('CHANTYPES') ?? '#&').includes(name[0] ?? ' ')
  }

  /** Resolves when it is registered. Throws what `openWire` and `Registration` make. */
  async connect(signal: AbortSignal): Promise<void> {
    const { account, clock } = this.#options
    const { server, port } = account
    signal.addEventListener('abort', () => this.close(), { once: true, signal: this.signal })
    const late = new SvcError('IRC_UNREACHABLE', `${server}:${port} did not answer in a minute. It is tried again.`)
    const cancel = clock.after(REGISTER_MS, () => {
      registration.fail(late)
      if (!this.#wire) this.close()
    })
    const registration = new Registration(account, (line) => void this.#wire?.write(line))
    registration.done.catch(() => undefined)
    try {
      const listener = { line: (message: IrcMessage) => this.#take(message), end: (why: string) => this.#end(why) }
      this.#registration = registration
      this.#wire = await openWire(account, listener, this.signal)
      registration.start()
      const { nick, capabilities, isIdentified } = await registration.done
      this.#nick = nick
      this.#capabilities = capabilities
      this.#isIdentified = isIdentified
      this.#registration = undefined
      // RPL_USERHOST tells how long the prefix of what we say is.
      await this.ask([`USERHOST ${nick}`])
    } catch (error) {
      this.close()
      throw error
    } finally {
      cancel()
    }
  }

  /** Sends a line that has no reply; false if the connection is closed. */
  tell(line: string): boolean {
    return this.#wire?.write(line) ?? false
  }

  /**
   * Sends lines and a PING behind them: a server handles lines in order, so when the PONG comes, all that it had to say of
   * them has come. `turn` is awaited before each line.
   */
  async ask(lines: readonly string[] = [], turn?: (signal: AbortSignal) => Promise<void>): Promise<Answered> {
    const exchange = new Exchange(`svc-${this.#options.random.hex(6)}`)
    this.#exchanges.add(exchange)
    try {
      for (const line of lines) {
        await turn?.(this.signal)
        if (!this.tell(line)) return exchange.outcome('ended')
        exchange.isSent = true
      }
      if (!this.tell(`PING :${exchange.token}`)) return exchange.outcome('ended')
      exchange.isSent = true
      const cancel = this.#options.clock.after(ANSWER_MS, () => exchange.settle('late'))
      return exchange.outcome(await exchange.settled.finally(cancel))
    } catch {
      // The connection ended while a line waited for its turn.
      return exchange.outcome('ended')
    } finally {
      this.#exchanges.delete(exchange)
    }
  }

  close(): void {
    this.#wire?.close()
    this.#over('closed')
  }

  #end(reason: string): void {
    const wasOver = this.signal.aborted
    const registration = this.#registration
    this.#over(reason)
    if (registration) registration.ended(reason)
    else if (!wasOver) this.#options.listener.lost(reason)
  }

  #over(reason: string): void {
    this.#wire = undefined
    this.#registration?.ended(reason)
    for (const exchange of this.#exchanges) exchange.settle('ended')
    this.#abort.abort(new Error(reason))
  }

  #take(message: IrcMessage): void {
    const { command, params } = message
    if (command === 'PING') this.tell(`PONG :${params.at(-1) ?? ''}`)
    this.#registration?.take(message)
    if (command === 'ERROR' && !this.#registration) return void this.#wire?.end(params.at(-1) ?? 'the server ended it')
    this.#learn(message)
    for (const exchange of this.#exchanges) {
      if (exchange.answers.length < MAX_ANSWERS) exchange.answers.push(message)
      if (command === 'PONG' && params.includes(exchange.token)) exchange.settle('answered')
    }
    this.#options.listener.message(message)
  }

  #learn({ command, params, prefix }: IrcMessage): void {
    if (command === '005') this.#support(params.slice(1, -1))
    const own = command === '302' ? userhosts(params.at(-1)).find(({ nick }) => this.isOwn(nick)) : undefined
    if (own) this.#prefix = `${this.#nick}!${own.address}`
    // RPL_HOSTHIDDEN: others see this name in the place of ours.
    if (command === '396' && params[1]) this.#prefix = this.#prefix?.replace(/[^@]*$/, params[1].replace(/^.*@/, ''))
    if (!prefix.includes('!') || !this.isOwn(parseIrcNickname(prefix))) return
    if (command === 'NICK') this.#nick = params[0] ?? this.#nick
    this.#prefix = prefix.replace(/^[^!]*/, this.#nick)
  }

  #support(words: readonly string[]): void {
    for (const word of words) {
      const [name = '', value = ''] = word.split(/=(.*)/s)
      this.#supports.set(name, value)
    }
  }
}
