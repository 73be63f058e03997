/** Email as a platform: IMAP in, SMTP out. Each thread of mails is a conversation. */
import { type Clock, errorCode, type Logger, type Secrets, SvcError } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import {
  deliveryBusy,
  deliveryRefused,
  type GatewayConnection,
  type InboundFile,
  type OutboundMessage,
  type Platform,
  type PlatformLimits,
  readWithLimit,
  type SendReceipt,
} from 'svc/sdk/platform'
import { describeMissing, type MailAccount, mailAccount } from './account.ts'
import type { Config } from './config.ts'
import { htmlMarkup } from './html-markup.ts'
import { Intake } from './intake.ts'
import { parseRecipient, writeLetter } from './mail-message.ts'
import { Mailbox } from './mailbox.ts'
import type { MailTokens } from './oauth.ts'
import type { MailStore } from './store.ts'
import { submit, tryLogin } from './submission.ts'

const MAX_CHARACTERS = 50_000
/** Most servers take 20 MB and more; the encoding makes a file larger by a third. */
const MAX_FILE_BYTES = 15_000_000
const PROBE_MS = 10_000

export interface MailDeps {
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'get'>
  readonly log: Logger
  readonly tokens: MailTokens
}

/** One connection. */
interface Session {
  readonly account: MailAccount
  readonly mailbox: Mailbox
  readonly link: GatewayConnection
  readonly abort: AbortController
}

export class MailPlatform implements Platform {
  readonly name = 'email'
  readonly label = 'Email'
  readonly hint = 'Answers are sent as e-mails: write whole paragraphs, and no subject line.'
  readonly isSilent = true
  readonly limits: PlatformLimits
  readonly settings: Config
  readonly access = { users: 'EMAIL_ALLOWED_USERS', home: 'EMAIL_HOME_ADDRESS' }
  readonly #ports: () => MailDeps
  readonly #store: MailStore
  #session: Session | undefined
  readonly #unreadable: Map<number, number> = new Map()

  /** `ports` is asked whenever they are needed. */
  constructor(config: Config, store: MailStore, ports: () => MailDeps) {
    this.settings = config
    this.limits = {
      maxTextLength: MAX_CHARACTERS,
      idempotency: 'none',
      commits: true,
      unattended: true,
      files: MAX_FILE_BYTES,
      album: 20,
      albumBytes: MAX_FILE_BYTES,
      rate: { all: { count: 30, perMs: 60_000 } },
      ...(config.html && { markup: htmlMarkup }),
    }
    this.#store = store
    this.#ports = ports
  }

  missing(): string | undefined {
    return describeMissing(this.#account())
  }

  /** RFC 6068 */
  async contact(): Promise<string | undefined> {
    const { address } = this.#account()
    return address ? `mailto:${encodeURIComponent(address).replace('%40', '@')}` : undefined
  }

  account(): string | undefined {
    const { login, imap, mailbox } = this.#account()
    return login && imap.host ? `${login}@${imap.host}:${imap.port}/${mailbox}` : undefined
  }

  async connect(link: GatewayConnection): Promise<void> {
    await this.close()
    link.signal.throwIfAborted()
    const account = this.#account()
    const problem = describeMissing(account)
    if (problem !== undefined) throw deliveryRefused('EMAIL_UNREACHABLE', problem)
    const { clock, log } = this.#ports()
    const abort = new AbortController()
    link.signal.addEventListener('abort', () => abort.abort(), { once: true, signal: abort.signal })
    await tryLogin(account, abort.signal)
    let intake: Intake | undefined
    const listener = { changed: () => intake?.wake(), lost: (reason: string) => this.#lost(reason, abort) }
    const mailbox = await Mailbox.open(account, listener, abort.signal)
    this.#session = { account, mailbox, link, abort }
    const pollMs = this.settings.poll_seconds * 1000
    const { signal } = abort
    intake = new Intake({
      account,
      mailbox,
      store: this.#store,
      link,
      clock,
      log,
      pollMs,
      brake: {
        repeats: this.settings.loop_repeats,
        rounds: this.settings.loop_rounds,
        pauseMs: this.settings.loop_pause_minutes * 60_000,
      },
      signal,
      unreadable: this.#unreadable,
    })
    intake.begin()
    void intake.run()
  }

  async send(message: OutboundMessage): Promise<SendReceipt> {
    const { chatId, threadId, text, replyTo } = message
    const { account, link, abort } = this.#connected()
    if (parseRecipient(chatId) === undefined)
      throw deliveryRefused(
        'EMAIL_ADDRESS',
        `"${chatId}" is no address. Email goes to one address such as ann@example.org.`,
      )
    if (text.length > MAX_CHARACTERS)
      throw deliveryRefused(
        'EMAIL_LONG',
        `A text for email has ${text.length} characters. Send at most ${MAX_CHARACTERS}.`,
      )
    const answered = replyTo === undefined ? undefined : this.#store.mail(chatId, replyTo)
    const before = answered ?? (threadId === undefined ? undefined : this.#store.newest(chatId, threadId))
    const letter = await writeLetter(message, { account, before, at: this.#ports().clock.now() })
    try {
      const commit = () => message.commit?.()
      await submit(account, letter.recipients, letter.bytes, { signal: abort.signal, commit })
    } catch (error) {
      if (errorCode(error) === 'EMAIL_UNAUTHORIZED') this.#end(link, error)
      throw error
    }
    this.#store.remember(letter.thread)
    return { messageId: letter.thread.id }
  }

  async fetch(
    { ref, name }: InboundFile,
    { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array> {
    const { mailbox } = this.#connected()
    const [validity, uid = '', part = ''] = ref.split('/')
    const content = validity === mailbox.validity ? await mailbox.download(Number(uid), part, signal) : undefined
    if (!content) throw new SvcError('EMAIL_FILE', `The file ${name} is gone: its mail was moved or deleted.`)
    return readWithLimit(content, { name, maxBytes })
  }

  async probe(): Promise<boolean> {
    const session = this.#session
    if (!session?.mailbox.isOpen) return false
    const answered = session.mailbox.noop().then(
      () => session.mailbox.isOpen,
      () => false,
    )
    const { signal } = session.abort
    return (await waitAtMost(this.#ports().clock, PROBE_MS, answered, { signal })) ?? false
  }

  async close(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    session?.abort.abort()
  }

  #account(): MailAccount {
    const { secrets, tokens } = this.#ports()
    return mailAccount(this.settings, secrets, tokens)
  }

  #connected(): Session {
    if (!this.#session?.mailbox.isOpen)
      throw deliveryBusy(
        'EMAIL_DISCONNECTED',
        'The mail server is not connected now. It is connected again automatically.',
      )
    return this.#session
  }

  #lost(reason: string, abort: AbortController): void {
    const session = this.#session
    if (session?.abort !== abort) return
    this.#session = undefined
    abort.abort()
    session.link.lost(`The mail server ended the connection: ${reason}.`)
  }

  /** The password is wrong now: nothing helps but another. */
  #end(link: GatewayConnection, error: unknown): void {
    if (this.#session?.link !== link) return
    void this.close()
    const reason = error instanceof Error ? error.message : String(error)
    link.lost(reason, { final: true, code: 'email_unauthorized' })
  }
}
