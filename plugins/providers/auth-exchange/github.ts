/** GitHub Copilot: a token of GitHub is exchanged for a short one of the Copilot API, as GitHub's editors do it. */
import { Clock, type PluginContext } from 'svc/sdk'
import { postToken, readTokens, requestDeviceCode, signInError, waitForDevice } from 'svc/sdk/kit/oauth'
import type { OAuthTokens } from 'svc/sdk/provider'
import type { SignInPerson } from 'svc/sdk/sign-in'

export type Deps = Pick<PluginContext<unknown>, 'use'>

/** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow */
const DEVICE = {
  label: 'GitHub',
  deviceUrl: 'https://github.com/login/device/code',
  tokenUrl: 'https://github.com/login/oauth/access_token',
  clientId: 'Iv1.b507a08c87ecfe98',
  scope: 'read:user',
}
const EXCHANGE_URL = 'https://api.github.com/copilot_internal/v2/token'
const HEADERS = { 'user-agent': 'svc', 'editor-version': 'svc/0.2' }
/** Of a token whose answer names no time. */
const LIFETIME_S = 1500

/** A person signs in to GitHub; its token is kept to be exchanged again. */
export async function signIn(person: SignInPerson, deps: Deps, signal: AbortSignal): Promise<OAuthTokens> {
  const code = await requestDeviceCode(DEVICE, deps, signal)
  const { accessToken } = readTokens(await waitForDevice(code, person, deps, signal), DEVICE, deps)
  return exchange(accessToken, deps, signal)
}

/**
 * The short token, its end and its address. The token of GitHub stands in the place of a refresh token. Rejects with `SIGN_IN_ENDED` when
 * GitHub does not know it any more.
 */
export async function exchange(github: string, deps: Deps, signal: AbortSignal): Promise<OAuthTokens> {
  const headers = { ...HEADERS, authorization: `token ${github}` }
  const answer = await postToken({ url: EXCHANGE_URL, label: 'GitHub', headers, signal }, deps)
  const { token, refresh_in: seconds, endpoints } = answer.body
  if (answer.status === 401) throw signInError('SIGN_IN_ENDED', `GitHub does not accept its token: ${answer.reason}.`)
  if (answer.status >= 400 || typeof token !== 'string' || token === '')
    throw signInError(
      'SIGN_IN_FAILED',
      `GitHub gave no token for Copilot; does the account have it? It said: ${answer.reason}.`,
    )
  // `expires_at` is by GitHub's clock; how long it is good counts from now by ours.
  const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds : LIFETIME_S
  const api = (endpoints as { readonly api?: unknown } | undefined)?.api
  return {
    accessToken: token,
    refreshToken: github,
    expiresAt: deps.use(Clock).now() + lifetime * 1000,
    ...(typeof api === 'string' && /^https:/.test(api) ? { baseUrl: api } : {}),
  }
}
