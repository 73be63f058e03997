/** One connection to a server of XMPP (RFC 6120), by `@xmpp/client`. */
import { once } from 'node:events'
import { StringDecoder } from 'node:string_decoder'
import { type Client, client, type xml } from '@xmpp/client'
import { type Clock, errorCode, errorMessage, type Logger, type Random } from 'svc/sdk'
import { abortable } from 'svc/sdk/kit/async'
import { deliveryBusy, deliveryRefused, deliveryUncertain } from 'svc/sdk/platform'
import type { XmppAccount } from './account.ts'
import { createScramSha256, SCRAM_SHA_256 } from './scram.ts'

export type Stanza = ReturnType<typeof xml>

export interface SessionOptions {
  readonly account: XmppAccount
  readonly clock: Pick<Clock, 'after'>
  readonly random: Pick<Random, 'hex'>
  readonly log: Pick<Logger, 'warn'>
  /** Of a message or presence that came in. */
  readonly stanza: (stanza: Stanza) => void
  /** The server was heard of. */
  readonly heard: () => void
  /** Once, after it was open and not closed. */
  readonly lost: (error: unknown) => void
}

const ENDED = new Error('the connection ended')
const OPEN_MS = 30_000
const ANSWER_MS = 30_000
/** Two connections of one account do not share it: the older one is ended by the server. */
const RESOURCE = 'svc'
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/

export class XmppSession {
  readonly #client: Client
  readonly #options: SessionOptions
  readonly #abort = new AbortController()
  #isOpen = false
  #problem: unknown

  constructor(options: SessionOptions) {
    const { account, stanza, heard, log } = options
    this.#options = options
    this.#client = client({
      service: account.service,
      domain: account.domain,
      resource: RESOURCE,
      credentials: async (authenticate: Authenticate, mechanisms: readonly string[]) => {
        if (!account.isTlsOptional && !this.#client.isSecure())
          throw deliveryRefused(
            'PLATFORM_UNAUTHORIZED',
            `${account.domain} does not offer TLS, so that the password is not sent. Set platforms.xmpp.tls to optional if that is meant.`,
          )
        const { local: username, password } = account
        const mechanism = mechanisms.includes(SCRAM_SHA_256) ? SCRAM_SHA_256 : mechanisms[0]
        await authenticate({ username, password }, mechanism)
      },
    } as unknown as Parameters<typeof client>[0])
    const { saslFactory } = this.#client as unknown as { readonly saslFactory: SaslFactory }
    saslFactory.use(SCRAM_SHA_256, createScramSha256(options.random))
    // The gateway connects again, with its own waits.
    this.#client.reconnect.stop()
    useOwnReading(this.#client)
    this.#client.on('error', (error: unknown) => {
      this.#problem ??= error
    })
    this.#client.on('element', () => heard())
    this.#client.on('stanza', (each: Stanza) => {
      if (each.name === 'iq') return
      try {
        stanza(each)
      } catch (error) {
        log.warn('what came in could not be read', { error })
      }
    })
    this.#client.on('disconnect', () => this.#end())
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Resolves when it is authenticated and bound. */
  async open(signal: AbortSignal): Promise<void> {
    const { clock, account } = this.#options
    let cancel = () => {}
    const late = new Promise<never>((_, reject) => {
      cancel = clock.after(OPEN_MS, () => reject(new Error('it did not answer in time')))
    })
    try {
      await abortable(Promise.race([this.#start(), late]), signal)
      this.#isOpen = true
    } catch (error) {
      this.close()
      signal.throwIfAborted()
      throw toConnectError(this.#problem ?? error, account.domain)
    } finally {
      cancel()
    }
  }

  /** As `start` of the library, in which an error while the stream opens is also a rejection that nothing handles. */
  async #start(): Promise<void> {
    const { domain, service } = this.#options.account
    await this.#client.connect(service)
    const online = once(this.#client, 'online')
    await Promise.all([online, this.#client.open({ domain })])
  }

  /** Throws `deliveryBusy` if nothing left. */
  async send(stanza: Stanza): Promise<void> {
    if (!this.#isOpen) throw deliveryBusy('PLATFORM_NOT_CONNECTED', 'XMPP is not connected.')
    try {
      await this.#client.send(stanza)
    } catch (error) {
      throw deliveryUncertain('PLATFORM_UNREACHABLE', `XMPP could not be reached: ${errorMessage(error)}.`)
    }
  }

  /** The answer to a question. Throws its error as `toRefusal` reads it, and `deliveryUncertain` without one. */
  async ask(stanza: Stanza): Promise<Stanza> {
    if (!this.#isOpen) throw deliveryBusy('PLATFORM_NOT_CONNECTED', 'XMPP is not connected.')
    try {
      return (await abortable(this.#client.iqCaller.request(stanza, ANSWER_MS), this.signal)) as Stanza
    } catch (error) {
      const { condition, element } = error as { readonly condition?: string; readonly element?: Stanza }
      if (condition === undefined)
        throw deliveryUncertain('PLATFORM_UNREACHABLE', `XMPP did not answer: ${errorMessage(error)}.`)
      throw toRefusal(element, condition)
    }
  }

  close(): void {
    this.#isOpen = false
    this.#abort.abort(ENDED)
    void this.#client.stop().catch(() => undefined)
  }

  #end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#abort.abort(ENDED)
    this.#options.lost(this.#problem)
    void this.#client.stop().catch(() => undefined)
  }
}

/**
 * How the library reads, mended. It decodes each chunk of a connection for itself, so that a character in two of them is lost; what
 * arrives after the end of a stream is an exception of the process; and it counts stanzas wrongly for stream management (XEP-0198),
 * which servers answer by ending the stream, so that this is not negotiated, nor what would bring it (XEP-0388).
 */
export function useOwnReading(its: Client): void {
  const inner = its as unknown as { readonly parser: unknown; _onData(data: string): void }
  const read = inner._onData.bind(its)
  const decoder = new StringDecoder('utf8')
  inner._onData = (data: string | Buffer) => {
    const text = typeof data === 'string' ? data : decoder.write(data)
    if (inner.parser) read(text)
  }
  its.prependListener('element', (element: Stanza) => {
    if (!element.is('features', STREAMS)) return
    element.children = element.children.filter(
      (each) => typeof each === 'string' || !REFUSED.includes(each.getNS() ?? ''),
    )
  })
}

const STREAMS = 'http://etherx.jabber.org/streams'
const REFUSED = ['urn:xmpp:sm:3', 'urn:xmpp:sasl:2']

interface SaslFactory {
  use(name: string, mechanism: unknown): void
}

type Authenticate = (
  credentials: { readonly username: string; readonly password: string },
  mechanism: string | undefined,
) => Promise<void>

/** An error of a stanza: `wait` may be tried again, the others are final (RFC 6120, 8.3.2). */
export function toRefusal(error: Stanza | undefined, condition = readCondition(error)): Error {
  const text = error?.getChildText('text') ?? ''
  const said = `The XMPP server did not take it: ${text || condition}.`
  if (error?.attrs['type'] === 'wait') return deliveryBusy('PLATFORM_REFUSED', said)
  return deliveryRefused('PLATFORM_REFUSED', said)
}

function readCondition(error: Stanza | undefined): string {
  const names = error?.children.flatMap((each) => (typeof each === 'string' ? [] : [each.name])) ?? []
  return names.find((name) => name !== 'text') ?? 'undefined-condition'
}

/** Final if the account or the certificate is refused, else a reason to connect again later. */
export function toConnectError(error: unknown, domain: string): unknown {
  const { name, condition } = error as { readonly name?: string; readonly condition?: string }
  if (errorCode(error) === 'PLATFORM_UNAUTHORIZED') return error
  if (name === 'SASLError' && condition !== 'temporary-auth-failure')
    return deliveryRefused(
      'PLATFORM_UNAUTHORIZED',
      `${domain} does not accept the account: ${condition ?? 'no common mechanism'}.`,
    )
  const code = String((error as { readonly code?: unknown } | undefined)?.code ?? '')
  if (CERTIFICATE.test(code))
    return deliveryRefused('PLATFORM_UNAUTHORIZED', `The certificate of ${domain} cannot be verified: ${code}.`)
  return deliveryBusy('PLATFORM_UNREACHABLE', `${domain} could not be reached: ${errorMessage(error)}.`, {
    cause: error,
  })
}
