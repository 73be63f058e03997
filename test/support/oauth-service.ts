/**
 * A service to sign in to, in memory, as RFC 6749, RFC 7636, RFC 8628 and RFC 9700 (section 4.14.2: rotation and reuse of refresh
 * tokens) have it. What a vendor does in another way is given as `routes`.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Clock, Net, NetRequest, NetResponse } from 'svc/sdk'

/** A request as it arrived. */
export interface Asked {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

/** An answer: a body of JSON, or a text. */
export interface Answered {
  readonly status?: number
  readonly body: unknown
}

type Route = (asked: Asked) => Answered | Promise<Answered>

interface Urls {
  readonly tokenUrl: string
  readonly deviceUrl?: string
}

export interface OAuthServiceOptions extends Urls {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly routes?: Readonly<Record<string, Route>>
  /** Renewals give no new refresh token. */
  readonly keepsRefreshToken?: boolean
}

const SECRET = 'canary'

/** Texts that are secrets of a sign-in have `canary` in them. */
export class OAuthService {
  readonly asked: Asked[] = []
  readonly net: Net
  /** How polls are answered: in order, the last one for all that follow. */
  polls: string[] = []
  /** The network breaks so many times. */
  broken = 0
  readonly #options: OAuthServiceOptions
  readonly #codes: Map<string, { readonly challenge: string; readonly redirect: string; isUsed: boolean }> = new Map()
  readonly #refreshTokens: Map<string, { readonly family: string; isUsed: boolean }> = new Map()
  readonly #ended: Set<string> = new Set()
  readonly #polled: Map<string, number> = new Map()

  constructor(options: OAuthServiceOptions) {
    this.#options = options
    this.net = { request: (request) => this.#request(request) }
  }

  /** A person signs in at the address: the code that the browser is sent back with. */
  authorize(address: string): { readonly code: string; readonly state: string } {
    const { searchParams } = new URL(address)
    const get = (name: string) => searchParams.get(name) ?? ''
    if (get('code_challenge_method') !== 'S256') throw new Error('no S256')
    const code = newSecret('code')
    const redirect = get('redirect_uri') || get('callback_url')
    this.#codes.set(code, { challenge: get('code_challenge'), redirect, isUsed: false })
    return { code, state: get('state') || (new URL(redirect).searchParams.get('state') ?? '') }
  }

  /** Whether the code belongs to the verifier; each is taken once. */
  redeem({ code = '', code_verifier = '', redirect_uri }: Asked['fields']): boolean {
    const known = this.#codes.get(code)
    const challenge = createHash('sha256').update(code_verifier).digest('base64url')
    if (!known || known.isUsed || known.challenge !== challenge) return false
    if (redirect_uri !== undefined && redirect_uri !== known.redirect) return false
    known.isUsed = true
    return true
  }

  /** Tokens of a new sign-in, or of a renewal within a family. */
  grant(family = newSecret('family')): Record<string, unknown> {
    const refresh_token = newSecret('refresh')
    this.#refreshTokens.set(refresh_token, { family, isUsed: false })
    return { access_token: newSecret('access'), token_type: 'Bearer', expires_in: 3600, refresh_token }
  }

  /** Ends every sign-in. */
  revoke(): void {
    for (const { family } of this.#refreshTokens.values()) this.#ended.add(family)
  }

  renewals(): number {
    return this.asked.filter(({ fields }) => fields['grant_type'] === 'refresh_token').length
  }

  async #request(request: NetRequest): Promise<NetResponse> {
    const asked = toAsked(request)
    this.asked.push(asked)
    if (this.broken-- > 0) throw new Error(`connect ECONNREFUSED while ${JSON.stringify(asked.fields)} was sent`)
    const { routes = {}, tokenUrl, deviceUrl } = this.#options
    const [address = ''] = asked.url.split('?')
    const route = routes[address] ?? (address === tokenUrl ? (each: Asked) => this.#token(each) : undefined)
    if (route) return toResponse(await route(asked))
    if (address === deviceUrl) return toResponse(this.#device())
    throw new Error(`nothing is at ${address}`)
  }

  #device(): Answered {
    const device_code = newSecret('device')
    const body = {
      user_code: 'WDJB-MJHT',
      verification_uri: 'https://service.example/device',
      expires_in: 600,
      interval: 5,
    }
    return { body: { ...body, device_code, verification_uri_complete: `${body.verification_uri}?user_code=WDJB-MJHT` } }
  }

  #token({ fields }: Asked): Answered {
    switch (fields['grant_type']) {
      case 'authorization_code':
        return this.redeem(fields) ? { body: this.grant() } : refusal('invalid_grant', 'The code is not valid.')
      case 'refresh_token':
        return this.#renew(fields['refresh_token'] ?? '')
      case 'urn:ietf:params:oauth:grant-type:device_code':
        return this.#poll(fields['device_code'] ?? '')
      default:
        return refusal('unsupported_grant_type')
    }
  }

  #renew(token: string): Answered {
    const known = this.#refreshTokens.get(token)
    if (!known || known.isUsed || this.#ended.has(known.family)) {
      if (known) this.#ended.add(known.family)
      return refusal('invalid_grant', `The refresh token ${token} was used before.`)
    }
    if (this.#options.keepsRefreshToken)
      return { body: { access_token: newSecret('access'), token_type: 'Bearer', expires_in: 3600 } }
    known.isUsed = true
    return { body: this.grant(known.family) }
  }

  #poll(device: string): Answered {
    const now = this.#options.clock.monotonic()
    const last = this.#polled.get(device)
    this.#polled.set(device, now)
    if (last !== undefined && now - last < 5000) return refusal('slow_down')
    const said = (this.polls.length > 1 ? this.polls.shift() : this.polls[0]) ?? 'approved'
    return said === 'approved' ? { body: this.grant() } : refusal(said)
  }
}

/** Section 5.2 of RFC 6749. */
export function refusal(error: string, error_description = ''): Answered {
  return { status: 400, body: { error, ...(error_description === '' ? {} : { error_description }) } }
}

export function newSecret(kind: string): string {
  return `${kind}-${SECRET}-${randomBytes(12).toString('hex')}`
}

/** The secrets that occur in a text. */
export function findSecrets(text: string): readonly string[] {
  return text.match(/\w+-canary-\w+/g) ?? []
}

/** A clock on which sleep takes no time, with how long each one was. */
export function sleepless<T extends Clock & { advance(ms: number): Promise<void> }>(clock: T): T & { slept: number[] } {
  const slept: number[] = []
  return {
    ...clock,
    slept,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      slept.push(ms)
      await clock.advance(ms)
      signal?.throwIfAborted()
    },
  }
}

function toAsked({ url, headers = {}, body, json }: NetRequest): Asked {
  const fields =
    json === undefined
      ? Object.fromEntries(new URLSearchParams(typeof body === 'string' ? body : ''))
      : (JSON.parse(JSON.stringify(json)) as Record<string, string>)
  return { url, headers, fields }
}

function toResponse({ status = 200, body }: Answered): NetResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    status,
    headers: { 'content-type': 'application/json', date: 'Thu, 01 Jan 2099 00:00:00 GMT' },
    body: (async function* () {
      yield Buffer.from(text)
    })(),
    text: async () => text,
    json: async () => JSON.parse(text),
    close: () => undefined,
  }
}
