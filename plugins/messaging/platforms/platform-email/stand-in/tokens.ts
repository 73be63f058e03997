/**
 * The OAuth side of a mail provider: access tokens for refresh tokens (RFC 6749, sections 5 and 6), and what servers ask of tokens
 * (RFC 7662). Each refresh token is good for one use.
 */
import { randomBytes } from 'node:crypto'
import { type ServiceAnswer, type ServiceRequest, StandInServer } from 'svc/sdk/kit/stand-in'

const CLIENT = 'email-client-id-for-tests'
const SECRET = 'email-client-secret-for-tests'
const HOUR_SECONDS = 3600

/** Counts and withdraws tokens for one user. */
export class FakeTokens {
  /** The refresh token that is good now. */
  refresh = `refresh-${randomBytes(9).toString('hex')}`
  /** How often a token was asked for. */
  asked = 0
  /** The next answers have this status and no token. */
  broken: number | undefined
  /** So many logins at the mailbox are refused, whatever the token. */
  refusedByImap = 0
  readonly #user: string
  readonly #good: Set<string> = new Set()
  #server: StandInServer | undefined

  constructor(user: string) {
    this.#user = user
  }

  /** Configuration and variables for a platform that logs in with tokens. */
  async open(): Promise<{ readonly config: object; readonly env: Readonly<Record<string, string | undefined>> }> {
    this.#server ??= await StandInServer.open((request) => this.#answer(request))
    return {
      config: { oauth_token_url: `${this.#server.url}/token` },
      env: {
        EMAIL_PASSWORD: undefined,
        EMAIL_OAUTH_REFRESH_TOKEN: this.refresh,
        EMAIL_OAUTH_CLIENT_ID: CLIENT,
        EMAIL_OAUTH_CLIENT_SECRET: SECRET,
      },
    }
  }

  /** Where servers ask whether a token is good. */
  get introspectionUrl(): string {
    return `${this.#server?.url}/introspect`
  }

  accepts(user: string, token: string): boolean {
    return user === this.#user && this.#good.has(token)
  }

  /** One that a program gives, without this endpoint. */
  issue(): string {
    const token = `access-${randomBytes(9).toString('hex')}`
    this.#good.add(token)
    return token
  }

  /** Revokes all issued access tokens. */
  withdraw(): void {
    this.#good.clear()
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }

  #answer({ method, path, body }: ServiceRequest): ServiceAnswer {
    const form = new URLSearchParams(body.toString())
    if (method !== 'POST') return { status: 405 }
    if (path === '/introspect') return { body: this.#introspect(form.get('token') ?? '') }
    return path === '/token' ? this.#give(form) : { status: 404 }
  }

  #introspect(token: string): object {
    return this.#good.has(token) ? { active: true, username: this.#user } : { active: false }
  }

  #give(form: URLSearchParams): ServiceAnswer {
    this.asked++
    if (this.broken !== undefined) return { status: this.broken, body: '<html>Maintenance</html>' }
    if (form.get('client_id') !== CLIENT || form.get('client_secret') !== SECRET)
      return { status: 401, body: { error: 'invalid_client' } }
    if (form.get('grant_type') !== 'refresh_token') return { status: 400, body: { error: 'unsupported_grant_type' } }
    if (form.get('refresh_token') !== this.refresh)
      return { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' } }
    this.refresh = `refresh-${randomBytes(9).toString('hex')}`
    const answer = { access_token: this.issue(), token_type: 'Bearer', expires_in: HOUR_SECONDS }
    return { body: { ...answer, refresh_token: this.refresh } }
  }
}

/** What a client says for XOAUTH2, in base64 (developers.google.com/workspace/gmail/imap/xoauth2-protocol). */
export function readBearer(said: string): { readonly user: string; readonly token: string } {
  const [, user = '', token = ''] =
    /^user=([^\x01]*)\x01auth=Bearer ([^\x01]+)\x01\x01$/.exec(Buffer.from(said, 'base64').toString()) ?? []
  return { user, token }
}

/** What a server says of a token that it does not accept, before it refuses. */
export const BEARER_REFUSED: string = Buffer.from('{"status":"400","schemes":"Bearer"}').toString('base64')
