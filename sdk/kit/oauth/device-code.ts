/** Signing in at another device: RFC 8628. */
import { errorCode } from '../../errors.ts'
import { Clock } from '../../ports.ts'
import type { SignInPerson } from '../../sign-ins.ts'
import { signInError } from './sign-in-error.ts'
import { type OAuthDeps, postToken, type TokenAnswer } from './token-endpoint.ts'

/** What a service says of a code. @since 0.2 */
export type DevicePoll =
  | { readonly is: 'pending' }
  /** To be asked less often from now on; left out: five seconds later each (section 3.5). */
  | { readonly is: 'slow-down'; readonly intervalMs?: number }
  | { readonly is: 'done'; readonly answer: TokenAnswer }
  | { readonly is: 'denied' | 'expired' }
  | { readonly is: 'failed'; readonly reason: string }

/** A code that waits for its person. @since 0.2 */
export interface DeviceCode {
  /** For sentences: "GitHub". */
  readonly label: string
  readonly code: string
  readonly url: string
  readonly completeUrl?: string
  readonly lifetimeMs: number
  readonly intervalMs: number
  /** Asks once whether the person is done. */
  poll(signal: AbortSignal): Promise<DevicePoll>
}

/** A service that follows RFC 8628. @since 0.2 */
export interface DeviceGrant {
  readonly label: string
  readonly deviceUrl: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly scope?: string
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** Section 3.2. */
const USUAL_INTERVAL_S = 5
const SLOW_DOWN_MS = 5000
const USUAL_LIFETIME_S = 900
const MAX_INTERVAL_MS = 60_000

/** Sections 3.1 and 3.4. Rejects with `SIGN_IN_FAILED`. @since 0.2 */
export async function requestDeviceCode(
  { label, deviceUrl, tokenUrl, clientId, scope }: DeviceGrant,
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<DeviceCode> {
  const own = { client_id: clientId, ...(scope === undefined ? {} : { scope }) }
  const begun = await postToken({ url: deviceUrl, label, fields: own, signal }, deps)
  const { device_code, user_code, verification_uri, verification_url, verification_uri_complete } = begun.body
  const url = verification_uri ?? verification_url
  if (
    begun.status >= 400 ||
    typeof device_code !== 'string' ||
    typeof user_code !== 'string' ||
    typeof url !== 'string'
  )
    throw signInError('SIGN_IN_FAILED', `${label} gave no code to sign in with: ${begun.reason}.`)
  const fields = { grant_type: GRANT, device_code, client_id: clientId }
  return {
    label,
    code: user_code,
    url,
    ...(typeof verification_uri_complete === 'string' ? { completeUrl: verification_uri_complete } : {}),
    lifetimeMs: readSeconds(begun.body['expires_in'], USUAL_LIFETIME_S) * 1000,
    intervalMs: readSeconds(begun.body['interval'], USUAL_INTERVAL_S) * 1000,
    poll: async (each) => toPoll(await postToken({ url: tokenUrl, label, fields, signal: each }, deps)),
  }
}

/**
 * Shows the code, and asks at its interval until the person is done. A service that cannot be reached is asked less and less often
 * until the code ends. Rejects with `SIGN_IN_DENIED`, `SIGN_IN_EXPIRED`, `SIGN_IN_FAILED` or the reason of the signal.
 * @since 0.2
 */
export async function waitForDevice(
  device: DeviceCode,
  person: Pick<SignInPerson, 'show'>,
  deps: OAuthDeps,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const { label, code, url, completeUrl, lifetimeMs } = device
  const clock = deps.use(Clock)
  const end = clock.monotonic() + lifetimeMs
  let { intervalMs } = device
  const step = { kind: 'show-code', code, url, expiresAt: clock.now() + lifetimeMs, intervalMs } as const
  person.show(completeUrl === undefined ? step : { ...step, completeUrl })
  while (true) {
    await clock.sleep(Math.max(0, Math.min(intervalMs, end - clock.monotonic())), signal)
    if (clock.monotonic() >= end) throw expired(label)
    const said = await pollOnce(device, signal)
    switch (said.is) {
      case 'done':
        return said.answer
      case 'denied':
        throw signInError('SIGN_IN_DENIED', `The sign-in was declined at ${label}.`)
      case 'expired':
        throw expired(label)
      case 'failed':
        throw signInError('SIGN_IN_FAILED', `${label} refused: ${said.reason}`)
      case 'slow-down':
        intervalMs = Math.max(said.intervalMs ?? 0, intervalMs + SLOW_DOWN_MS)
        break
      case 'unreachable':
        intervalMs = Math.min(intervalMs * 2, MAX_INTERVAL_MS)
    }
  }
}

async function pollOnce(device: DeviceCode, signal: AbortSignal): Promise<DevicePoll | { readonly is: 'unreachable' }> {
  try {
    return await device.poll(signal)
  } catch (error) {
    signal.throwIfAborted()
    if (errorCode(error) === 'SIGN_IN_FAILED') return { is: 'unreachable' }
    throw error
  }
}

/** Section 3.5. Some services answer with status 200 in any case. */
function toPoll(answer: TokenAnswer): DevicePoll {
  const { error, body, status, reason } = answer
  switch (error) {
    case undefined:
      if (status >= 500) return { is: 'pending' }
      return status < 400 ? { is: 'done', answer } : { is: 'failed', reason }
    case 'authorization_pending':
      return { is: 'pending' }
    case 'slow_down': {
      const seconds = readSeconds(body['interval'], 0)
      return { is: 'slow-down', ...(seconds > 0 ? { intervalMs: seconds * 1000 } : {}) }
    }
    case 'access_denied':
      return { is: 'denied' }
    case 'expired_token':
      return { is: 'expired' }
    default:
      return status >= 500 ? { is: 'pending' } : { is: 'failed', reason }
  }
}

function expired(label: string) {
  return signInError('SIGN_IN_EXPIRED', `The code was not entered at ${label} in time. Begin again.`)
}

/** A number, or its text. */
function readSeconds(value: unknown, usual: number): number {
  const seconds = typeof value === 'string' ? Number(value) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0 ? seconds : usual
}
