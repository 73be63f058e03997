/** Requests to a token endpoint and its answers: RFC 6749, sections 5.1 and 5.2. */
import type { OAuthTokens } from '../../credentials.ts'
import { errorCode, errorMessage, type SvcError } from '../../errors.ts'
import type { PluginContext } from '../../plugin.ts'
import { Clock, Net, type NetRequest } from '../../ports.ts'
import { Secrets } from '../../secrets.ts'
import { signInError } from './sign-in-error.ts'

const TIMEOUT_MS = 20_000
const MAX_BYTES = 1_048_576
const QUOTE_LENGTH = 300

/** What of a plugin's context requests need. @since 0.2 */
export type OAuthDeps = Pick<PluginContext<unknown>, 'use'>

/** One request. @since 0.2 */
export interface TokenRequest {
  readonly url: string
  /** For sentences: "Anthropic". */
  readonly label: string
  /** The fields of a form, or of JSON where `json` is set; without fields it is a GET. */
  readonly fields?: Readonly<Record<string, string | number>>
  readonly json?: true
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** What came back. Its texts are masked in logs from now on where they are tokens. @since 0.2 */
export interface TokenAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** `error` of the body, or of an object there its `code` or `type`. */
  readonly error?: string
  /** What the service says, without secrets; for sentences. */
  readonly reason: string
}

/** Fields of answers that are secrets. */
const SECRET_FIELDS = [
  'access_token',
  'refresh_token',
  'id_token',
  'api_key',
  'key',
  'token',
  'device_code',
  'code_verifier',
]

/**
 * Sends it. Any status is an answer. Rejects with `SIGN_IN_FAILED` when the service cannot be reached or the answer is no JSON object,
 * and with the reason of the signal.
 * @since 0.2
 */
export async function postToken(request: TokenRequest, deps: OAuthDeps): Promise<TokenAnswer> {
  const { label, signal } = request
  const secrets = deps.use(Secrets)
  const mask = (text: string) => secrets.mask(text)
  try {
    const response = await deps.use(Net).request(toNetRequest(request))
    const body = parseObject(await response.text(MAX_BYTES))
    if (body === undefined)
      throw signInError(
        'SIGN_IN_FAILED',
        `${label} answered with status ${response.status} and not with JSON. Try again later.`,
      )
    for (const secret of SECRET_FIELDS.map((name) => body[name]))
      if (typeof secret === 'string' && secret !== '') secrets.protect(secret)
    return { status: response.status, body, ...describe(body, response.status, mask) }
  } catch (error) {
    signal.throwIfAborted()
    if (errorCode(error) === 'SIGN_IN_FAILED') throw error
    throw signInError('SIGN_IN_FAILED', `${label} cannot be reached to sign in: ${mask(errorMessage(error))}`, error)
  }
}

function toNetRequest({ url, fields, json, headers, signal }: TokenRequest): NetRequest {
  const limits = { url, signal, timeoutMs: TIMEOUT_MS, idleMs: TIMEOUT_MS }
  const accept = { accept: 'application/json', ...headers }
  if (fields === undefined) return { ...limits, headers: accept }
  // A code or a refresh token that was used must not be sent again by itself.
  const post = { ...limits, method: 'POST', once: true } as const
  if (json) return { ...post, headers: accept, json: fields }
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return { ...post, headers: { ...type, ...accept }, body: new URLSearchParams(toTexts(fields)).toString() }
}

/**
 * The tokens of an answer to `authorization_code`, `refresh_token` or another grant. `expires_in` counts from now by the clock of this
 * machine, so a clock that is wrong does no harm. Throws `SIGN_IN_ENDED` when the grant is void for good (`invalid_grant` and the
 * like), else `SIGN_IN_FAILED`.
 * @since 0.2
 */
export function readTokens(
  answer: TokenAnswer,
  { label, lifetimeMs }: { readonly label: string; readonly lifetimeMs?: number },
  deps: OAuthDeps,
): OAuthTokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = answer.body
  if (answer.status >= 400 || answer.error !== undefined || typeof accessToken !== 'string' || accessToken === '')
    throw failedGrant(answer, label)
  const seconds = typeof expiresIn === 'string' ? Number(expiresIn) : expiresIn
  const ms = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : lifetimeMs
  return {
    accessToken,
    ...(typeof refreshToken === 'string' && refreshToken !== '' ? { refreshToken } : {}),
    ...(ms === undefined ? {} : { expiresAt: deps.use(Clock).now() + ms }),
  }
}

/** Section 5.2, and what services say of tokens that were revoked or used twice. */
const ENDED =
  /^(invalid_grant|invalid_token|token_revoked|token_invalidated|token_expired|refresh_token_(reused|expired|invalidated)|unauthorized_client|invalid_client|bad_refresh_token|bad_credentials)$/

function failedGrant({ status, error, reason }: TokenAnswer, label: string): SvcError {
  const isEnded = error !== undefined && ENDED.test(error)
  return signInError(
    isEnded ? 'SIGN_IN_ENDED' : 'SIGN_IN_FAILED',
    error === undefined && status < 400 ? `${label} answered without a token.` : `${label} refused: ${reason}`,
  )
}

function describe(
  body: Readonly<Record<string, unknown>>,
  status: number,
  mask: (text: string) => string,
): Pick<TokenAnswer, 'error' | 'reason'> {
  const { error, error_description: description, message } = body
  const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
  const code = [error, inner['code'], inner['type']].find((each) => typeof each === 'string' && each !== '')
  const said = [description, inner['message'], message].find((each) => typeof each === 'string' && each !== '')
  const parts = [code, said].filter((each) => each !== undefined).map(String)
  const reason = parts.length > 0 ? parts.join(': ').slice(0, QUOTE_LENGTH) : `status ${status}`
  return { ...(code === undefined ? {} : { error: String(code) }), reason: mask(reason) }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function toTexts(fields: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}

/**
 * The claims of a token in the form of RFC 7519, which is not verified: it came from its issuer by TLS. Undefined when it is none.
 * @since 0.2
 */
export function readClaims(token: unknown): Readonly<Record<string, unknown>> | undefined {
  const [, claims] = typeof token === 'string' ? token.split('.') : []
  return claims === undefined ? undefined : parseObject(Buffer.from(claims, 'base64url').toString())
}
