/** Signing in with a code, and what follows it. */
import { Clock, errorCode, errorMessage, logFault, type PluginContext } from 'svc/sdk'
import {
  type DeviceCode,
  postToken,
  readTokens,
  requestDeviceCode,
  signInError,
  type TokenAnswer,
  waitForDevice,
} from 'svc/sdk/kit/oauth'
import type { OAuthTokens } from 'svc/sdk/provider'
import type { SignInPerson } from 'svc/sdk/sign-in'
import { requestCodexCode, requestUserCode } from './grants.ts'
import type { DeviceVendor } from './vendors.ts'

/** What of the plugin's context a flow needs. */
export type FlowDeps = Pick<PluginContext<unknown>, 'use' | 'log'>

/** A short key must live at least that long. */
const MIN_KEY_SECONDS = 1800

/** The whole way of a person. */
export async function signIn(
  vendor: DeviceVendor,
  person: SignInPerson,
  deps: FlowDeps,
  signal: AbortSignal,
): Promise<OAuthTokens> {
  const code = await requestCode(vendor, deps, signal)
  const { tokens, problem } = await toTokens(vendor, await waitForDevice(code, person, deps, signal), deps, signal)
  if (problem !== undefined) throw signInError('SIGN_IN_FAILED', problem)
  return tokens
}

/** RFC 6749, section 6. */
export async function refresh(
  vendor: DeviceVendor,
  { refreshToken }: OAuthTokens,
  deps: FlowDeps,
  signal: AbortSignal,
): Promise<OAuthTokens> {
  const { label, tokenUrl: url, clientId } = vendor
  if (refreshToken === undefined) throw signInError('SIGN_IN_ENDED', `The sign-in at ${label} cannot be renewed.`)
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
  // Without a key the new refresh token is kept all the same: the old one was spent for it.
  return (await toTokens(vendor, await postToken({ url, label, fields, signal }, deps), deps, signal)).tokens
}

function requestCode(vendor: DeviceVendor, deps: FlowDeps, signal: AbortSignal): Promise<DeviceCode> {
  switch (vendor.grant) {
    case 'standard':
      return requestDeviceCode({ ...vendor, tokenUrl: vendor.pollUrl }, deps, signal)
    case 'codex':
      return requestCodexCode(vendor, deps, signal)
    case 'user-code':
      return requestUserCode(vendor, deps, signal)
  }
}

/** What is to be kept, and why it does not open models. */
interface Outcome {
  readonly tokens: OAuthTokens
  readonly problem?: string
}

async function toTokens(
  vendor: DeviceVendor,
  answer: TokenAnswer,
  deps: FlowDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const tokens = readTokens(withRelativeEnd(answer, deps), vendor, deps)
  const account = vendor.account?.(answer)
  const own = { ...tokens, ...(account === undefined ? {} : { account }) }
  return vendor.keyUrl === undefined ? { tokens: own } : mintKey(vendor, vendor.keyUrl, own, deps, signal)
}

/** MiniMax tells the end as `expired_in`: seconds from now, or a time in seconds or milliseconds. */
function withRelativeEnd(answer: TokenAnswer, deps: FlowDeps): TokenAnswer {
  const { expired_in: end } = answer.body
  if (typeof end !== 'number') return answer
  const now = deps.use(Clock).now()
  const seconds = end < 1e9 ? end : Math.round(((end < 1e12 ? end * 1000 : end) - now) / 1000)
  return { ...answer, body: { ...answer.body, expires_in: Math.max(1, seconds) } }
}

/** The token itself opens the portal only; models want a key that is made from it. */
async function mintKey(
  { label }: DeviceVendor,
  url: string,
  tokens: OAuthTokens,
  deps: FlowDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const headers = { authorization: `Bearer ${tokens.accessToken}` }
  const fields = { min_ttl_seconds: MIN_KEY_SECONDS }
  const now = () => deps.use(Clock).now()
  let problem: string
  try {
    const answer = await postToken({ url, label, fields, json: true, headers, signal }, deps)
    const { api_key: key, inference_base_url: baseUrl, expires_in: seconds } = answer.body
    if (answer.status < 400 && typeof key === 'string' && key !== '') {
      const ms = (typeof seconds === 'number' && seconds > 0 ? seconds : MIN_KEY_SECONDS) * 1000
      const own = typeof baseUrl === 'string' && /^https:/.test(baseUrl) ? { baseUrl } : {}
      return { tokens: { ...tokens, ...own, accessToken: key, expiresAt: now() + ms } }
    }
    problem = `${label} gave no key for models: ${answer.reason}`
  } catch (error) {
    if (errorCode(error) !== 'SIGN_IN_FAILED') throw error
    logFault(deps.log, `${label} gave no key for models`, error)
    problem = errorMessage(error)
  }
  return { tokens: { ...tokens, expiresAt: now() }, problem }
}
