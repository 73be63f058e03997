/** The mailbox over IMAP (RFC 9051): what is new, in order, and files of mails. One connection. */
import { addAbortSignal } from 'node:stream'
import { errorCode, errorMessage, SvcError } from 'svc/sdk'
import { deliveryRefused } from 'svc/sdk/platform'
import { isCertificateProblem, type MailAccount, tlsOptions } from './account.ts'

/** Of a mail no more is read than this; its files are fetched apart. */
const MAX_BYTES = 2_000_000
/** A server drops who idles for half an hour (RFC 2177). */
const IDLE_MS = 25 * 60_000
/** After the last command it idles at once, so that mail is announced when it comes. */
const SETTLE_MS = 20
const CONNECT_MS = 30_000

type ImapFlow = import('./imap.ts').ImapFlow
type Structure = import('imapflow').MessageStructureObject

/** A mail as stored. */
export interface StoredMail {
  readonly uid: number
  /** Its beginning; all of it when it is not very long. */
  readonly source: Uint8Array
  readonly files: readonly StoredFile[]
  readonly arrivedAt: number | undefined
}

/** A part of a mail that is a file. */
export interface StoredFile {
  readonly part: string
  readonly name: string
  readonly mediaType: string
  /** Estimated from what its encoding takes. */
  readonly size: number
}

/** What it is told. */
export interface MailboxListener {
  /** Something may be new. */
  changed(): void
  /** Once, after it was open and not closed. */
  lost(reason: string): void
}

export class Mailbox {
  readonly #client: ImapFlow
  #isOver = false

  private constructor(client: ImapFlow) {
    this.#client = client
  }

  /**
   * It is closed when `signal` aborts, also while it is being opened. Throws `EMAIL_UNAUTHORIZED`, `EMAIL_CERTIFICATE`,
   * `EMAIL_MAILBOX` or `EMAIL_UNREACHABLE`.
   */
  static async open(account: MailAccount, listener: MailboxListener, signal: AbortSignal): Promise<Mailbox> {
    const token = await account.tokens?.get(signal)
    try {
      return await Mailbox.#openWith(token, account, listener, signal)
    } catch (error) {
      // A token may be withdrawn before its time: only a new one that is refused too means that a person is needed.
      if (token === undefined || errorCode(error) !== 'EMAIL_UNAUTHORIZED') throw error
      return Mailbox.#openWith(await account.tokens?.get(signal, token), account, listener, signal)
    }
  }

  static async #openWith(
    token: string | undefined,
    account: MailAccount,
    listener: MailboxListener,
    signal: AbortSignal,
  ): Promise<Mailbox> {
    const { ImapFlow } = await import('./imap.ts')
    const { host, port, security } = account.imap
    const client = new ImapFlow({
      host,
      port,
      secure: security === 'tls',
      doSTARTTLS: security === 'tls' ? undefined : security === 'starttls',
      auth: { user: account.login, ...(token === undefined ? { pass: account.password } : { accessToken: token }) },
      tls: tlsOptions(account),
      logger: false,
      connectionTimeout: CONNECT_MS,
      autoIdleDelay: SETTLE_MS,
      maxIdleTime: IDLE_MS,
    })
    const mailbox = new Mailbox(client)
    let problem = 'the server closed it'
    let isOpen = false
    client.on('error', (error) => {
      problem = errorMessage(error)
    })
    client.on('exists', () => listener.changed())
    client.on('close', () => {
      if (isOpen && !mailbox.#isOver) listener.lost(problem)
      mailbox.#isOver = true
    })
    signal.addEventListener('abort', () => mailbox.close(), { once: true })
    try {
      signal.throwIfAborted()
      await client.connect()
      await client.mailboxOpen(account.mailbox).catch((error: unknown) => {
        if (!(error as { responseStatus?: string }).responseStatus) throw error
        const advice = 'Set platforms.email.mailbox to one that is there.'
        throw deliveryRefused('EMAIL_MAILBOX', `The mailbox "${account.mailbox}" cannot be opened. ${advice}`, error)
      })
      // What was opened after its end has to be closed, too.
      signal.throwIfAborted()
      isOpen = true
      return mailbox
    } catch (error) {
      mailbox.close()
      throw asFailure(error, account)
    }
  }

  get isOpen(): boolean {
    return !this.#isOver && this.#client.usable
  }

  /** UIDVALIDITY. */
  get validity(): string {
    return String(this.#opened().uidValidity)
  }

  /** The UID that the next mail gets. */
  get uidNext(): number {
    return this.#opened().uidNext
  }

  #opened() {
    const { mailbox } = this.#client
    if (!mailbox)
      throw new SvcError('EMAIL_DISCONNECTED', 'The mailbox is not open now. It is opened again automatically.')
    return mailbox
  }

  /** UIDs above this one, oldest first. */
  async newer(uid: number): Promise<readonly number[]> {
    const found = await this.#client.search({ uid: `${uid + 1}:*` }, { uid: true })
    // A range that ends in the newest names it even when it is below.
    return (found || []).filter((each) => each > uid).sort((a, b) => a - b)
  }

  /** Undefined if it was removed. */
  async read(uid: number): Promise<StoredMail | undefined> {
    const query = { uid: true, bodyStructure: true, internalDate: true, source: { start: 0, maxLength: MAX_BYTES } }
    const found = (await this.#client.fetchOne(String(uid), query, { uid: true })) || undefined
    if (!found?.source) return undefined
    const at = found.internalDate === undefined ? Number.NaN : new Date(found.internalDate).getTime()
    return {
      uid,
      source: found.source,
      files: found.bodyStructure ? findFiles(found.bodyStructure) : [],
      arrivedAt: Number.isFinite(at) ? at : undefined,
    }
  }

  /** People who look into the mailbox see what was taken. */
  async markSeen(uid: number): Promise<void> {
    await this.#client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })
  }

  /** The decoded bytes of a part; undefined if it was removed. */
  async download(uid: number, part: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { content } = await this.#client.download(String(uid), part, { uid: true })
    return content && addAbortSignal(signal, content)
  }

  /** A round trip. */
  async noop(): Promise<void> {
    await this.#client.noop()
  }

  close(): void {
    this.#isOver = true
    this.#client.close()
  }
}

function asFailure(error: unknown, { imap, tokens }: MailAccount): unknown {
  if (error instanceof SvcError) return error
  const where = `${imap.host}:${imap.port}`
  const { authenticationFailed, serverResponseCode } = error as import('imapflow').ImapFlowError
  // RFC 5530: the server cannot say now whether the password is right.
  if (authenticationFailed && serverResponseCode !== 'UNAVAILABLE')
    return deliveryRefused(
      'EMAIL_UNAUTHORIZED',
      tokens
        ? `${where} refused the access token. Check platforms.email.login, and that the token may use IMAP.`
        : `${where} refused the login. Set EMAIL_PASSWORD again, or an app password.`,
      error,
    )
  if (isCertificateProblem(error)) {
    const advice = 'Check EMAIL_IMAP_HOST, or set platforms.email.tls_ca.'
    return deliveryRefused('EMAIL_CERTIFICATE', `The certificate of ${where} cannot be verified. ${advice}`, error)
  }
  return new SvcError('EMAIL_UNREACHABLE', `${where} cannot be used: ${errorMessage(error)}. It is tried again.`, {
    cause: error,
  })
}

/** All parts that are not its text. */
function findFiles(node: Structure): StoredFile[] {
  if (node.childNodes && node.type !== 'message/rfc822') return node.childNodes.flatMap(findFiles)
  const name = node.dispositionParameters?.['filename'] ?? node.parameters?.['name']
  const isText = /^text\/(plain|html)$/i.test(node.type) && node.disposition?.toLowerCase() !== 'attachment'
  if (node.type.startsWith('multipart/') || (isText && !name)) return []
  const part = node.part ?? '1'
  const encoded = node.size ?? 0
  const size = node.encoding?.toLowerCase() === 'base64' ? Math.floor((encoded * 3) / 4) : encoded
  return [{ part, name: name ?? `part-${part}`, mediaType: node.type, size }]
}
