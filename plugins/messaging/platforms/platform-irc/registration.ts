/**
 * From an open socket to a registered client: RFC 2812 section 3.1 with capabilities and SASL PLAIN
 * (ircv3.net/specs/extensions/capability-negotiation, ircv3.net/specs/extensions/sasl-3.1, RFC 4616).
 */
import { SvcError } from 'svc/sdk'
import type { IrcMessage } from 'svc/sdk/kit/text'
import { deliveryRefused } from 'svc/sdk/platform'
import type { IrcAccount } from './account.ts'
import { HISTORY } from './history.ts'

const WANTED = ['message-tags', 'account-tag', 'server-time', 'echo-message', 'sasl']
const MORE = HISTORY.filter((name) => !WANTED.includes(name))
/** Bytes of base64 in one AUTHENTICATE. */
const SASL_CHUNK = 400
const MAX_UNDERSCORES = 5

/** What came of it. */
export interface Registered {
  readonly nick: string
  readonly capabilities: ReadonlySet<string>
  /** The services know who we are. */
  readonly isIdentified: boolean
}

/** One attempt. Give it every line; `done` settles. */
export class Registration {
  readonly done: Promise<Registered>
  readonly #account: IrcAccount
  readonly #write: (line: string) => void
  readonly #offered: Map<string, string> = new Map()
  readonly #capabilities: Set<string> = new Set()
  #nick: string
  #collisions = 0
  #isIdentified = false
  #resolve: (registered: Registered) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor(account: IrcAccount, write: (line: string) => void) {
    this.#account = account
    this.#write = write
    this.#nick = account.nickname
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  start(): void {
    this.#write('CAP LS 302')
    if (this.#account.serverPassword) this.#write(`PASS :${this.#account.serverPassword}`)
    this.#write(`NICK ${this.#nick}`)
    this.#write(`USER ${this.#account.nickname.replace(/[^A-Za-z0-9_-]/g, '') || 'svc'} 0 * :svc`)
  }

  fail(error: unknown): void {
    this.#reject(error)
  }

  /** The server ended the connection with these words. */
  ended(reason: string): void {
    const { server } = this.#account
    if (/password/i.test(reason)) this.#refuse('IRC_UNAUTHORIZED', `${server} refused the password`, reason)
    this.#reject(new SvcError('IRC_UNREACHABLE', `${server} did not let svc in: ${reason}. It is tried again.`))
  }

  take({ command, params }: IrcMessage): void {
    const words = params.at(-1) ?? ''
    if (command === 'CAP') this.#capability(params)
    else if (command === 'AUTHENTICATE') this.#authenticate()
    else if (command === '001') this.#welcome(params[0] ?? this.#nick)
    else if (command === 'ERROR') this.ended(words)
    else if (isSasl(command)) this.#sasl(command, words)
    else if (['433', '436', '437'].includes(command)) this.#nextNick(words)
    else if (command === '432') this.#refuse('IRC_NICKNAME', `The nickname ${this.#nick} is not taken`, words)
    else if (command === '464') this.#refuse('IRC_UNAUTHORIZED', 'The server refused the password', words)
    else if (command === '465') this.#refuse('IRC_BANNED', 'The server has banned svc', words)
  }

  #refuse(code: string, what: string, words: string): void {
    const advice: Readonly<Record<string, string>> = {
      IRC_UNAUTHORIZED: 'Set IRC_SERVER_PASSWORD or IRC_NICKSERV_PASSWORD again.',
      IRC_BANNED: 'Ask its operators.',
      IRC_NICKNAME: 'Set IRC_NICKNAME to another one.',
    }
    this.#reject(deliveryRefused(code, `${what}: ${words}. ${advice[code]}`))
  }

  #capability([, subcommand = '', ...rest]: readonly string[]): void {
    const names = (rest.at(-1) ?? '').split(' ').filter((each) => each !== '')
    if (subcommand === 'LS') {
      for (const each of names) {
        const [name = '', value = ''] = each.split(/=(.*)/s)
        this.#offered.set(name, value)
      }
      // An asterisk says that more of the list follows.
      if (rest.length < 2) this.#request()
    }
    if (subcommand === 'NAK') this.#write('CAP END')
    if (subcommand !== 'ACK') return
    for (const name of names) this.#capabilities.add(name)
    this.#write(this.#capabilities.has('sasl') ? 'AUTHENTICATE PLAIN' : 'CAP END')
  }

  #request(): void {
    const more = HISTORY.every((name) => this.#offered.has(name)) ? MORE : []
    const possible = [...WANTED, ...more].filter((name) => this.#offered.has(name))
    const wanted = possible.filter((name) => name !== 'sasl' || this.#canPlain())
    this.#write(wanted.length > 0 ? `CAP REQ :${wanted.join(' ')}` : 'CAP END')
  }

  #canPlain(): boolean {
    const mechanisms = this.#offered.get('sasl') ?? ''
    return this.#account.password !== undefined && (!mechanisms || mechanisms.split(',').includes('PLAIN'))
  }

  #authenticate(): void {
    const { account, password = '' } = this.#account
    const answer = Buffer.from(`${account}\0${account}\0${password}`).toString('base64')
    for (let at = 0; at < answer.length; at += SASL_CHUNK)
      this.#write(`AUTHENTICATE ${answer.slice(at, at + SASL_CHUNK)}`)
    if (answer.length % SASL_CHUNK === 0) this.#write('AUTHENTICATE +')
  }

  #sasl(command: string, words: string): void {
    if (command === '900') return
    if (command !== '903')
      return void this.#refuse('IRC_UNAUTHORIZED', `The services refused ${this.#account.account}`, words)
    this.#isIdentified = true
    this.#write('CAP END')
  }

  #nextNick(words: string): void {
    if (++this.#collisions > MAX_UNDERSCORES)
      return void this.#refuse(
        'IRC_NICKNAME',
        `The nickname ${this.#account.nickname} and others like it are in use`,
        words,
      )
    this.#nick = `${this.#account.nickname}${'_'.repeat(this.#collisions)}`
    this.#write(`NICK ${this.#nick}`)
  }

  #welcome(nick: string): void {
    this.#resolve({ nick, capabilities: this.#capabilities, isIdentified: this.#isIdentified })
  }
}

/** 900 to 908: results of SASL; 902 and 904 to 907 are failures, 908 lists what else there is. */
function isSasl(command: string): boolean {
  return /^90[0-7]$/.test(command) && command !== '901'
}
