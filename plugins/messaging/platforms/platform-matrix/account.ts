/** Logs in: with a token, or with a password as a device that stays the same. */
import { errorMessage, SvcError } from 'svc/sdk'
import { deliveryRefused } from 'svc/sdk/platform'
import { getErrcode, isLoggedOut, type MatrixApi } from './api.ts'

/** What people have set. */
export interface Credentials {
  readonly token: string | undefined
  readonly userId: string | undefined
  readonly password: string | undefined
  readonly deviceId: string | undefined
  /** Opens the secrets of the account at its homeserver. */
  readonly recoveryKey: string | undefined
}

/** Who the agent is on Matrix. */
export interface Self {
  readonly userId: string
  readonly deviceId?: string
  /** What people call it. */
  readonly name?: string
}

/** What is missing of them, as a sentence. */
export function missingCredentials({ token, userId, password }: Credentials): string | undefined {
  if (token) return undefined
  if (userId && password) return undefined
  if (userId || password) return 'MATRIX_USER_ID and MATRIX_PASSWORD must both be set.'
  return 'MATRIX_ACCESS_TOKEN is not set, nor are MATRIX_USER_ID and MATRIX_PASSWORD.'
}

/** Throws `MATRIX_UNAUTHORIZED` or `MATRIX_OTHER_ACCOUNT` when people have to change something. */
export async function logIn(api: MatrixApi, credentials: Credentials, lastDevice?: string): Promise<Self> {
  if (credentials.token) api.token = credentials.token
  if (!api.token) await passwordLogin(api, credentials, lastDevice)
  const who = await whoAmI(api, credentials, lastDevice)
  const userId = String(who['user_id'] ?? '')
  if (!userId) throw new SvcError('MATRIX_FAILED', 'The homeserver does not say whose access token it is.')
  if (credentials.userId && credentials.userId !== userId) {
    const advice = 'Set the token of that account, or remove MATRIX_USER_ID.'
    throw deliveryRefused(
      'MATRIX_OTHER_ACCOUNT',
      `The access token is that of ${userId}, not of ${credentials.userId}. ${advice}`,
    )
  }
  const deviceId = who['device_id']
  const name = await displayName(api, userId)
  return { userId, ...(typeof deviceId === 'string' && { deviceId }), ...(name && { name }) }
}

async function whoAmI(api: MatrixApi, credentials: Credentials, lastDevice: string | undefined) {
  const ask = () => api.ask({ path: '/client/v3/account/whoami' })
  try {
    return await ask()
  } catch (error) {
    // A token that a password had brought may have ended; the password brings another.
    if (credentials.token || !isLoggedOut(error)) throw error
    await passwordLogin(api, credentials, lastDevice)
    return ask()
  }
}

async function passwordLogin(api: MatrixApi, credentials: Credentials, lastDevice: string | undefined): Promise<void> {
  const device = credentials.deviceId ?? lastDevice
  api.token = undefined
  const body = {
    type: 'm.login.password',
    identifier: { type: 'm.id.user', user: credentials.userId },
    password: credentials.password,
    initial_device_display_name: 'svc',
    ...(device && { device_id: device }),
  }
  const said = await api
    .ask({ method: 'POST', path: '/client/v3/login', body, isOpen: true, once: true })
    .catch((error) => {
      if (!['M_FORBIDDEN', 'M_USER_DEACTIVATED', 'M_INVALID_USERNAME'].includes(getErrcode(error) ?? '')) throw error
      throw deliveryRefused(
        'MATRIX_UNAUTHORIZED',
        `${errorMessage(error)} Set MATRIX_USER_ID and MATRIX_PASSWORD to valid ones.`,
      )
    })
  const token = said['access_token']
  if (typeof token !== 'string') throw new SvcError('MATRIX_FAILED', 'The login of the homeserver gave no token.')
  api.token = token
}

/** For mentions by name only; an account may have none. */
async function displayName(api: MatrixApi, userId: string): Promise<string | undefined> {
  const path = `/client/v3/profile/${encodeURIComponent(userId)}/displayname`
  const said = await api.ask({ path }).catch(() => undefined)
  const name = said?.['displayname']
  return typeof name === 'string' ? name : undefined
}
