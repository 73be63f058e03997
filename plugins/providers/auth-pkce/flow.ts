/** Authorization code with PKCE: RFC 6749, section 4.1, RFC 7636 and RFC 8252. */
import { Clock, errorMessage, Random } from 'svc/sdk'
import { withDeadline } from 'svc/sdk/kit/async'
import {
  createPkce,
  isEndedSignIn,
  type OAuthDeps,
  type Pkce,
  postToken,
  readTokens,
  signInError,
  type TokenAnswer,
} from 'svc/sdk/kit/oauth'
import type { OAuthTokens } from 'svc/sdk/provider'
import type { SignInPerson } from 'svc/sdk/sign-in'
import { readPasted } from './answer.ts'
import { type Callback, openCallback } from './callback.ts'
import type { PkceVendor } from './vendors.ts'

const LIFETIME_MS = 15 * 60_000

/** The whole way of a person. */
export async function signIn(
  vendor: PkceVendor,
  person: SignInPerson,
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<OAuthTokens> {
  const { label, returns } = vendor
  const clock = deps.use(Clock)
  const pkce = createPkce(deps.use(Random))
  const callback = 'port' in returns ? await openCallback(returns, { label, state: pkce.state }) : undefined
  const redirect = callback?.url ?? ('page' in returns ? returns.page : '')
  try {
    person.show({
      kind: 'open-url',
      url: getAuthorizeUrl(vendor, redirect, pkce),
      returns: callback ? 'loopback' : 'paste',
      expiresAt: clock.now() + LIFETIME_MS,
    })
    const late = () =>
      signInError('SIGN_IN_EXPIRED', `The sign-in at ${label} was not completed within 15 minutes. Begin again.`)
    const work = (each: AbortSignal) => waitForCode({ person, callback, pkce, label, signal: each })
    const code = await withDeadline(clock, LIFETIME_MS, work, late, { signal })
    return await redeem(vendor, { code, redirect, pkce }, deps, signal)
  } finally {
    callback?.close()
  }
}

/** Section 6 of RFC 6749. */
export async function refresh(
  vendor: PkceVendor,
  { refreshToken }: OAuthTokens,
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<OAuthTokens> {
  const { label, tokenUrl: url, clientId, json } = vendor
  if (refreshToken === undefined || clientId === undefined)
    throw signInError('SIGN_IN_ENDED', `The sign-in at ${label} cannot be renewed.`)
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
  const answer = await postToken({ url, label, fields, ...(json ? { json } : {}), signal }, deps)
  return withAccount(vendor, answer, readTokens(answer, vendor, deps))
}

interface Redeemed {
  readonly code: string
  readonly redirect: string
  readonly pkce: Pkce
}

/** A code that was used before or is too old is refused with `invalid_grant`: that ends this attempt and nothing else. */
async function redeem(
  vendor: PkceVendor,
  { code, redirect, pkce: { verifier, state } }: Redeemed,
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<OAuthTokens> {
  const { label, tokenUrl: url, clientId, json, givesKey } = vendor
  const fields = givesKey
    ? { code, code_verifier: verifier, code_challenge_method: 'S256' }
    : {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirect,
        client_id: clientId ?? '',
        code_verifier: verifier,
        ...(json ? { state } : {}),
      }
  const answer = await postToken({ url, label, fields, ...(json ? { json } : {}), signal }, deps)
  try {
    if (!givesKey) return withAccount(vendor, answer, readTokens(answer, vendor, deps))
    const { key } = answer.body
    if (answer.status < 400 && typeof key === 'string') return withAccount(vendor, answer, { accessToken: key })
    throw signInError('SIGN_IN_FAILED', `${label} refused: ${answer.reason}`)
  } catch (error) {
    if (!isEndedSignIn(error)) throw error
    throw signInError(
      'SIGN_IN_FAILED',
      `${errorMessage(error)}. The code was used before or is too old: begin again`,
      error,
    )
  }
}

function withAccount({ account }: PkceVendor, answer: TokenAnswer, tokens: OAuthTokens): OAuthTokens {
  const found = account?.(answer)
  return found === undefined ? tokens : { ...tokens, account: found }
}

function getAuthorizeUrl(vendor: PkceVendor, redirect: string, { challenge, state }: Pkce): string {
  const { authorizeUrl, clientId, scope, authorizeFields, givesKey } = vendor
  const url = new URL(authorizeUrl)
  const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
  const fields = givesKey
    ? { callback_url: `${redirect}?state=${state}`, ...proof }
    : {
        response_type: 'code',
        client_id: clientId ?? '',
        redirect_uri: redirect,
        ...(scope === undefined ? {} : { scope }),
        ...proof,
        state,
      }
  for (const [name, value] of Object.entries({ ...authorizeFields, ...fields })) url.searchParams.set(name, value)
  return url.href
}

interface Waiting {
  readonly person: SignInPerson
  readonly callback: Callback | undefined
  readonly pkce: Pkce
  readonly label: string
  readonly signal: AbortSignal
}

/** The browser comes back, or the person pastes what it shows: the browser may be on another machine. */
async function waitForCode({ person, callback, pkce, label, signal }: Waiting): Promise<string> {
  const done = new AbortController()
  const until = AbortSignal.any([signal, done.signal])
  const prompt = callback ? 'Or paste the address that the browser ends at: ' : `Code that ${label} shows: `
  const pasted = async () => {
    const text = (await person.ask(prompt, until))?.trim()
    if (text) return readPasted(text, pkce.state)
    if (callback) return new Promise<string>(() => undefined)
    throw signInError('SIGN_IN_FAILED', 'No code was given')
  }
  try {
    return await (callback ? Promise.race([callback.code, pasted()]) : pasted())
  } finally {
    done.abort()
  }
}
