/** Calls that prove themselves by a signed token (JWT, RFC 7519), against keys that the service publishes (RFC 7517). */
import type { JSONWebKeySet, JWK } from 'jose'
import type { HttpRequest } from '../../http.ts'
import type { Clock, Net } from '../../ports.ts'

/** What a token must be. @since 0.2 */
export interface SignedTokenClaim {
  readonly issuers: readonly string[]
  readonly audience: string
  /** Address of the keys; or of a document of OpenID Connect Discovery, whose `jwks_uri` is on the same host or on one of `keyHosts`. */
  readonly keys: string
  readonly keyHosts?: readonly string[]
}

/** A token that is what it must be. @since 0.2 */
export interface SignedToken {
  /** By their names (RFC 7519, section 4). */
  readonly claims: Readonly<Record<string, unknown>>
  /** The published key (a JWK, RFC 7517), with what the service says of it besides. */
  readonly key: Readonly<Record<string, unknown>>
}

/** @since 0.2 */
export interface SignedTokensDeps {
  readonly net: Pick<Net, 'request'>
  readonly clock: Pick<Clock, 'now'>
}

/** The clocks of both sides may differ by so much. */
const TOLERANCE_SECONDS = 300
const KEYS_LIVE_MS = 24 * 3_600_000
/** Tokens with unknown keys do not make us ask more often than that. */
const RENEW_MS = 60_000
const TIMEOUT_MS = 10_000
/** Signatures of a private key; a token that is signed with a shared or no secret is refused. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384']

interface KnownKeys {
  readonly set: JSONWebKeySet
  readonly at: number
}

/** Reads tokens of one service, and remembers its keys for a day. @since 0.2 */
export class SignedTokens {
  readonly #known: Map<string, KnownKeys> = new Map()

  /** The bearer token of the request; undefined if it has none, or one that is wrong, or the keys cannot be fetched. */
  async read(
    { headers }: Pick<HttpRequest, 'headers'>,
    claim: SignedTokenClaim,
    { net, clock }: SignedTokensDeps,
  ): Promise<SignedToken | undefined> {
    const [, token] = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '') ?? []
    if (token === undefined || claim.audience === '') return undefined
    const { decodeProtectedHeader, importJWK, jwtVerify } = await import('jose')
    try {
      const { kid, alg = '' } = decodeProtectedHeader(token)
      const key = await this.#find(kid, claim, { net, clock })
      if (!key || !ALGORITHMS.includes(alg)) return undefined
      const { payload: claims } = await jwtVerify(token, await importJWK(key, alg), {
        ...{ issuer: [...claim.issuers], audience: claim.audience, algorithms: ALGORITHMS },
        ...{ clockTolerance: TOLERANCE_SECONDS, requiredClaims: ['exp'], currentDate: new Date(clock.now()) },
      })
      return { claims, key: { ...key } }
    } catch {
      return undefined
    }
  }

  async #find(kid: string | undefined, claim: SignedTokenClaim, deps: SignedTokensDeps): Promise<JWK | undefined> {
    if (kid === undefined) return undefined
    const isIt = (each: JWK) => each.kid === kid
    const now = deps.clock.now()
    const known = this.#known.get(claim.keys)
    const found = known?.set.keys.find(isIt)
    if (known && (now - known.at < RENEW_MS || (found && now - known.at < KEYS_LIVE_MS))) return found
    const set = await fetchKeys(claim, deps.net)
    this.#known.set(claim.keys, { set, at: now })
    return set.keys.find(isIt)
  }
}

async function fetchKeys(
  { keys: address, keyHosts = [] }: SignedTokenClaim,
  net: SignedTokensDeps['net'],
): Promise<JSONWebKeySet> {
  const first = await getJson(address, net)
  const { jwks_uri: next } = first as { jwks_uri?: unknown }
  if (next === undefined) return first as unknown as JSONWebKeySet
  const allowed = [new URL(address).host, ...keyHosts]
  if (typeof next !== 'string' || !allowed.includes(new URL(next).host)) throw new Error('the keys are on another host')
  return (await getJson(next, net)) as unknown as JSONWebKeySet
}

async function getJson(url: string, net: SignedTokensDeps['net']): Promise<Readonly<Record<string, unknown>>> {
  const response = await net.request({ url, timeoutMs: TIMEOUT_MS })
  if (response.status === 200) return response.json<Readonly<Record<string, unknown>>>()
  response.close()
  throw new Error(`the keys were not given: HTTP ${response.status}`)
}
