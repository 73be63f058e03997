/**
 * Signing in at an OpenID provider: the authorization code flow of OpenID Connect Core 1.0 with PKCE (RFC 7636), by `openid-client`.
 * What an attempt needs is kept here, in memory, for ten minutes and for one answer.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { type Clock, errorCode, errorMessage, type Net, type Random, SvcError } from 'svc/sdk'
import { createPkce } from 'svc/sdk/kit/oauth'
import type { OidcConfig } from './config.ts'
import { createProviderFetch } from './provider-fetch.ts'

export const START_SECONDS = 600
const MAX_STARTS = 500
/** Clocks of two machines differ. */
const TOLERANCE_SECONDS = 60
/** Keys and addresses of a provider change. */
const METADATA_MS = 60 * 60_000

interface Start {
  readonly verifier: string
  readonly nonce: string
  /** Hash of the cookie of the browser that began. */
  readonly browser: Buffer
  readonly redirectUri: string
  readonly next: string
  readonly end: number
}

interface OidcDeps {
  readonly config: OidcConfig
  readonly secret: () => string | undefined
  readonly net: () => Net
  readonly clock: () => Clock
  readonly random: () => Random
}

type Library = typeof import('openid-client')
type Configuration = import('openid-client').Configuration

export class OidcLogin {
  readonly #deps: OidcDeps
  /** By their state, the oldest first. */
  readonly #starts = new Map<string, Start>()
  #found: { readonly configuration: Configuration; readonly until: number } | undefined

  constructor(deps: OidcDeps) {
    this.#deps = deps
  }

  /** Where the browser goes, and the cookie that ties the answer to it. Throws `LOGIN_OIDC_UNREACHABLE`, `LOGIN_OIDC_FAILED`. */
  async start(redirectUri: string, next: string): Promise<{ readonly url: string; readonly browser: string }> {
    const { random, clock, config } = this.#deps
    const client = await import('openid-client')
    const configuration = await this.#discover(client)
    const { verifier, challenge, state } = createPkce(random())
    const [nonce, browser] = [random().hex(16), random().hex(32)]
    const now = clock().monotonic()
    for (const [key, { end }] of this.#starts) if (end <= now) this.#starts.delete(key)
    const [oldest] = this.#starts.size >= MAX_STARTS ? this.#starts.keys() : []
    if (oldest !== undefined) this.#starts.delete(oldest)
    const end = now + START_SECONDS * 1000
    this.#starts.set(state, { verifier, nonce, browser: hash(browser), redirectUri, next, end })
    const url = client.buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: redirectUri, scope: config.scope, state, nonce },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    })
    return { url: url.href, browser }
  }

  /**
   * The person of an answer. Throws `LOGIN_STATE`, `LOGIN_CANCELLED`, `LOGIN_NOT_ALLOWED`, `LOGIN_OIDC_UNREACHABLE`, `LOGIN_OIDC_FAILED`
   * and `LOGIN_OIDC_CLOCK`.
   */
  async finish(
    query: URLSearchParams,
    browser: string | undefined,
  ): Promise<{ readonly user: string; readonly next: string }> {
    const state = query.get('state') ?? ''
    const start = this.#starts.get(state)
    const isOwn = start !== undefined && browser !== undefined && timingSafeEqual(hash(browser), start.browser)
    if (!isOwn || start.end <= this.#deps.clock().monotonic()) {
      const text = 'The answer belongs to no login of this browser, or came a second time. Sign in again.'
      throw new SvcError('LOGIN_STATE', text, { status: 400 })
    }
    this.#starts.delete(state)
    const client = await import('openid-client')
    const configuration = await this.#discover(client)
    const address = new URL(`${start.redirectUri}?${query}`)
    const checks = { pkceCodeVerifier: start.verifier, expectedState: state, expectedNonce: start.nonce }
    try {
      const tokens = await client.authorizationCodeGrant(configuration, address, { ...checks, idTokenExpected: true })
      const claims = tokens.claims()
      if (!claims) throw new Error('there is no ID token')
      const isMailMissing = claims['email'] === undefined && this.#deps.config.allow.some((each) => each.includes('@'))
      const more =
        isMailMissing && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {}
      return { user: findPerson({ ...claims, ...more, sub: claims.sub }, this.#deps.config.allow), next: start.next }
    } catch (error) {
      throw toLoginError(error, this.#deps.config.name)
    }
  }

  async #discover(client: Library): Promise<Configuration> {
    const { config, clock, net, secret } = this.#deps
    if (this.#found && this.#found.until > clock().monotonic()) return this.#found.configuration
    const key = secret()
    // The time of svc counts, which a test sets.
    const skew = Math.round((clock().now() - Date.now()) / 1000)
    const metadata = { [client.clockSkew]: skew, [client.clockTolerance]: TOLERANCE_SECONDS }
    const auth = key === undefined ? client.None() : client.ClientSecretBasic(key)
    const isInsecure = new URL(config.issuer).protocol === 'http:'
    try {
      const configuration = await client.discovery(new URL(config.issuer), config.client_id, metadata, auth, {
        [client.customFetch]: createProviderFetch(net, config.name),
        execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
      })
      this.#found = { configuration, until: clock().monotonic() + METADATA_MS }
      return configuration
    } catch (error) {
      throw toLoginError(error, config.name)
    }
  }
}

interface Claims {
  readonly sub: string
  readonly email?: unknown
  readonly email_verified?: unknown
}

/** Throws `LOGIN_NOT_ALLOWED`. An address of mail that the provider has not verified may be that of another person. */
function findPerson({ sub, email, email_verified: isVerified }: Claims, allow: readonly string[]): string {
  const mail = typeof email === 'string' && isVerified === true ? email.toLowerCase() : undefined
  const isAllowed = allow.some((each) => each === sub || (mail !== undefined && each.toLowerCase() === mail))
  const user = mail ?? sub
  if (isAllowed) return user
  const text = `${user.slice(0, 100)} may not sign in here. Who runs svc can add this person to dashboard.login.oidc.allow.`
  throw new SvcError('LOGIN_NOT_ALLOWED', text, { status: 403 })
}

function toLoginError(error: unknown, name: string): SvcError {
  for (let inner = error; inner instanceof Error; inner = inner.cause)
    if (errorCode(inner).startsWith('LOGIN_')) return inner as SvcError
  const { code, error: said } = error as { readonly code?: unknown; readonly error?: unknown }
  if (said === 'access_denied')
    return new SvcError('LOGIN_CANCELLED', `The login at ${name} was cancelled. Sign in again.`, { status: 403 })
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') {
    const text = `The clocks of this machine and of ${name} differ too much. Set both.`
    return new SvcError('LOGIN_OIDC_CLOCK', text, { status: 502, cause: error })
  }
  const isUnknownClient = said === 'invalid_client' || code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'
  const advice = 'it does not know svc; check client_id and SVC_DASHBOARD_OIDC_SECRET'
  const why = isUnknownClient ? advice : typeof said === 'string' ? said : errorMessage(error)
  const text = `${name} answered with an error, or with what cannot be trusted: ${why.slice(0, 200)}.`
  return new SvcError('LOGIN_OIDC_FAILED', text, { status: 502, cause: error })
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
