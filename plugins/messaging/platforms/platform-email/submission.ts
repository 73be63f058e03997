/** Mail that leaves, over SMTP (RFC 6409 and RFC 5321): one connection for each message. */
import { Readable } from 'node:stream'
import { errorCode, errorMessage, SvcError } from 'svc/sdk'
import { deliveryBusy, deliveryRefused, deliveryUncertain } from 'svc/sdk/platform'
import { isCertificateProblem, type MailAccount, tlsOptions } from './account.ts'

const CONNECT_MS = 30_000
const ANSWER_MS = 120_000

type SMTPConnection = InstanceType<typeof import('./smtp.ts').SMTPConnection>

/** What nodemailer says of a failure. */
interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
}

/** Logs in and says goodbye. Throws `EMAIL_UNAUTHORIZED`, `EMAIL_TOKEN`, `EMAIL_CERTIFICATE` or `EMAIL_UNREACHABLE`. */
export async function tryLogin(account: MailAccount, signal: AbortSignal): Promise<void> {
  try {
    await withConnection(account, signal, async () => {})
  } catch (error) {
    const failure = asFailure(error, account)
    if (['EMAIL_UNAUTHORIZED', 'EMAIL_TOKEN', 'EMAIL_CERTIFICATE'].includes(errorCode(failure))) throw failure
    const { host, port } = account.smtp
    const message = `${host}:${port} cannot be used: ${errorMessage(error)}. It is tried again.`
    throw new SvcError('EMAIL_UNREACHABLE', message, { cause: error })
  }
}

/** Throws `refused`, `busy` or `unsure`: what of it is certain. */
export async function submit(
  account: MailAccount,
  to: readonly string[],
  message: Uint8Array,
  { signal, commit }: { readonly signal: AbortSignal; readonly commit: () => void },
): Promise<void> {
  let isWritten = false
  // It is read only once the server has asked for it. Its end becomes the dot without which no server takes a message
  // (RFC 5321, section 4.1.1.4).
  const body = Readable.from(
    (async function* () {
      yield Buffer.from(message)
      commit()
      isWritten = true
    })(),
    { objectMode: false },
  )
  try {
    const envelope = { from: account.address, to: [...to], size: message.byteLength }
    await withConnection(account, signal, (connection) => toPromise((done) => connection.send(envelope, body, done)))
  } catch (error) {
    throw isWritten && !(error as SmtpError).responseCode ? unanswered(error) : asFailure(error, account)
  }
}

/** Rejects with what nodemailer says, or why there is no token. */
async function withConnection(
  account: MailAccount,
  signal: AbortSignal,
  work: (connection: SMTPConnection) => Promise<void>,
): Promise<void> {
  const token = await account.tokens?.get(signal)
  try {
    await useConnection(account, token, signal, work)
  } catch (error) {
    // Nothing was sent yet. A token may be withdrawn before its time.
    if (token === undefined || !isLoginRefusal(error)) throw error
    await useConnection(account, await account.tokens?.get(signal, token), signal, work)
  }
}

async function useConnection(
  account: MailAccount,
  token: string | undefined,
  signal: AbortSignal,
  work: (connection: SMTPConnection) => Promise<void>,
): Promise<void> {
  const { SMTPConnection, XOAuth2 } = await import('./smtp.ts')
  const { host, port, security } = account.smtp
  const connection = new SMTPConnection({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: tlsOptions(account),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
  })
  let giveUp = () => {}
  const broken = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(new Error('it was given up'))
    connection.on('error', reject)
    connection.on('end', () => reject(new Error('the server closed the connection')))
  })
  signal.addEventListener('abort', giveUp, { once: true })
  broken.catch(() => undefined)
  const or = <T>(result: Promise<T>) => Promise.race([result, broken])
  try {
    if (signal.aborted) throw new Error('it was given up')
    await or(toPromise((done) => connection.connect(done)))
    const user = account.login
    const login =
      token === undefined ? { pass: account.password } : { oauth2: new XOAuth2({ user, accessToken: token }) }
    await or(toPromise((done) => connection.login({ user, ...login }, done)))
    await or(work(connection))
    connection.quit()
  } catch (error) {
    connection.close()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** A callback as a promise. */
function toPromise(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())))
}

function unanswered(error: unknown): Error {
  const what = 'The mail server did not answer after it was given the message'
  return deliveryUncertain('EMAIL_UNANSWERED', `${what}: ${errorMessage(error)}. Look whether it arrived.`, error)
}

/** RFC 4954, section 6: 530, 534, 535 and 538 are about the login. */
function isLoginRefusal(error: unknown): boolean {
  const { code = '', responseCode = 0 } = error as SmtpError
  return [530, 534, 535, 538].includes(responseCode) || (code === 'EAUTH' && responseCode >= 500)
}

/** RFC 5321, section 4.2.1: 4xx may be tried again, 5xx not. */
function asFailure(error: unknown, { smtp, tokens }: MailAccount): unknown {
  const { name, responseCode = 0, response = '' } = error as SmtpError
  if (name === 'SvcError') return error
  const where = `${smtp.host}:${smtp.port}`
  if (isLoginRefusal(error))
    return deliveryRefused(
      'EMAIL_UNAUTHORIZED',
      tokens
        ? `${where} refused the access token: ${response}. Check platforms.email.login, and that the token may use SMTP.`
        : `${where} refused the login: ${response}. Set EMAIL_PASSWORD again.`,
      error,
    )
  if (isCertificateProblem(error)) {
    const advice = 'Check EMAIL_SMTP_HOST, or set platforms.email.tls_ca.'
    return deliveryRefused('EMAIL_CERTIFICATE', `The certificate of ${where} cannot be verified. ${advice}`, error)
  }
  if (responseCode >= 500)
    return deliveryRefused('EMAIL_REFUSED', `${where} did not take the message: ${response}`, error)
  if (responseCode >= 400)
    return deliveryBusy('EMAIL_BUSY', `${where} does not take the message now: ${response}`, { cause: error })
  return deliveryBusy('EMAIL_BUSY', `${where} could not be given the message: ${errorMessage(error)}.`, {
    cause: error,
  })
}
