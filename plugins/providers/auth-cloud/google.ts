/** Google's identity: a service account, the sign-in of gcloud, or the machine itself (https://cloud.google.com/docs/authentication). */
import { GoogleAuth, JWT } from 'google-auth-library'
import { readClaims } from 'svc/sdk/kit/oauth'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'

/** A token with its end and its project. */
export interface GoogleToken {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly expiresAt?: number
  readonly project?: string
}

const auths: Map<string, GoogleAuth> = new Map()

/** `keyFile` left out: the application default credentials. Rejects with what Google's library says. */
export async function getGoogleToken(keyFile: string | undefined): Promise<GoogleToken> {
  const key = keyFile ?? ''
  const auth =
    auths.get(key) ?? new GoogleAuth({ scopes: SCOPE, ...(keyFile === undefined ? {} : { keyFilename: keyFile }) })
  auths.set(key, auth)
  try {
    const client = await auth.getClient()
    const found = client instanceof JWT ? await signToken(client) : await askToken(client)
    const project = await auth.getProjectId().catch(() => undefined)
    return project === undefined ? found : { ...found, project }
  } catch (error) {
    // What it has found out of the machine may be mended by the next time.
    auths.delete(key)
    throw error
  }
}

/** A service account signs its token itself: https://google.aip.dev/auth/4111. */
async function signToken(client: JWT): Promise<GoogleToken> {
  client.useJWTAccessWithScope = true
  const header = (await client.getRequestHeaders()).get('authorization') ?? ''
  const token = header.replace(/^Bearer /, '')
  const end = readClaims(token)?.['exp']
  return { token, ...(typeof end === 'number' ? { expiresAt: end * 1000 } : {}) }
}

async function askToken(client: Awaited<ReturnType<GoogleAuth['getClient']>>): Promise<GoogleToken> {
  const { token } = await client.getAccessToken()
  if (!token) throw new Error('Google gave no token')
  const { expiry_date: end } = client.credentials
  return { token, ...(typeof end === 'number' ? { expiresAt: end } : {}) }
}
