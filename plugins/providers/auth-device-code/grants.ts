/** Grants that differ from RFC 8628, as the programs of their vendors use them. */
import { Clock, Random } from 'svc/sdk'
import { createPkce, type DeviceCode, type OAuthDeps, postToken, signInError } from 'svc/sdk/kit/oauth'
import type { DeviceVendor } from './vendors.ts'

const LIFETIME_MS = 15 * 60_000
const INTERVAL_MS = 5000

/**
 * ChatGPT: the code is known by `device_auth_id`, 403 and 404 mean that the person is not done, and the answer is a code to redeem
 * (codex-rs/login/src/device_code_auth.rs of https://github.com/openai/codex).
 */
export async function requestCodexCode(
  vendor: DeviceVendor,
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<DeviceCode> {
  const { label, deviceUrl, pollUrl, tokenUrl, url = '', clientId } = vendor
  const begun = await postToken({ url: deviceUrl, label, fields: { client_id: clientId }, json: true, signal }, deps)
  const { device_auth_id: id, user_code: code = begun.body['usercode'], interval } = begun.body
  if (begun.status >= 400 || typeof id !== 'string' || typeof code !== 'string')
    throw signInError('SIGN_IN_FAILED', `${label} gave no code to sign in with: ${begun.reason}`)
  return {
    label,
    code,
    url,
    lifetimeMs: LIFETIME_MS,
    intervalMs: Number(interval) > 0 ? Number(interval) * 1000 : INTERVAL_MS,
    async poll(each) {
      const fields = { device_auth_id: id, user_code: code }
      const polled = await postToken({ url: pollUrl, label, fields, json: true, signal: each }, deps)
      const { authorization_code: grant, code_verifier: verifier } = polled.body
      if (polled.error === 'access_denied') return { is: 'denied' }
      if (polled.error === 'expired_token') return { is: 'expired' }
      if (polled.error === 'slow_down' || polled.status === 429) return { is: 'slow-down' }
      if ([403, 404].includes(polled.status) || polled.status >= 500) return { is: 'pending' }
      if (polled.status >= 400 || typeof grant !== 'string' || typeof verifier !== 'string')
        return { is: 'failed', reason: polled.reason }
      const redeemed = {
        grant_type: 'authorization_code',
        code: grant,
        code_verifier: verifier,
        client_id: clientId,
        redirect_uri: new URL('/deviceauth/callback', tokenUrl).href,
      }
      return { is: 'done', answer: await postToken({ url: tokenUrl, label, fields: redeemed, signal: each }, deps) }
    },
  }
}

/** MiniMax: a verifier beside the code, and `status` in an answer with status 200. */
export async function requestUserCode(vendor: DeviceVendor, deps: OAuthDeps, signal: AbortSignal): Promise<DeviceCode> {
  const { label, deviceUrl, pollUrl, clientId, scope = '' } = vendor
  const { challenge, verifier, state } = createPkce(deps.use(Random))
  const asked = {
    response_type: 'code',
    client_id: clientId,
    scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state,
  }
  const begun = await postToken({ url: deviceUrl, label, fields: asked, signal }, deps)
  const { user_code: code, verification_uri: url, expired_in: end, interval, state: echo } = begun.body
  if (begun.status >= 400 || typeof code !== 'string' || typeof url !== 'string')
    throw signInError('SIGN_IN_FAILED', `${label} gave no code to sign in with: ${begun.reason}`)
  if (echo !== state)
    throw signInError('SIGN_IN_FAILED', `What ${label} answered belongs to another sign-in. Begin again`)
  const fields = {
    grant_type: 'urn:ietf:params:oauth:grant-type:user_code',
    client_id: clientId,
    user_code: code,
    code_verifier: verifier,
  }
  return {
    label,
    code,
    url,
    lifetimeMs: readLifetimeMs(end, deps.use(Clock).now()),
    intervalMs: typeof interval === 'number' && interval > 0 ? interval : 2000,
    async poll(each) {
      const answer = await postToken({ url: pollUrl, label, fields, signal: each }, deps)
      const { status } = answer.body
      if (status === 'success') return { is: 'done', answer }
      if (status === 'denied' || answer.error === 'access_denied') return { is: 'denied' }
      if (status === 'expired' || answer.error === 'expired_token') return { is: 'expired' }
      if (answer.error === 'slow_down') return { is: 'slow-down' }
      if (status === 'error' || (answer.status >= 400 && answer.status < 500))
        return { is: 'failed', reason: answer.reason }
      return { is: 'pending' }
    },
  }
}

/** A time in milliseconds. A clock of this machine that is far off does no harm: the code then lives for the usual time. */
function readLifetimeMs(end: unknown, now: number): number {
  const left = typeof end === 'number' ? end - now : 0
  return left > 0 && left <= LIFETIME_MS * 4 ? left : LIFETIME_MS
}
