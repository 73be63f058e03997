/** Whether Google Chat has made a call (developers.google.com/workspace/chat/verify-requests-from-chat). */
import { SignedTokens } from 'svc/sdk/kit/net'
import type { PlatformContext } from 'svc/sdk/kit/platform'
import type { HttpRequest } from 'svc/sdk/web'
import type { GoogleChatSettings } from './googlechat.ts'

const CHAT = 'chat@system.gserviceaccount.com'
const CHAT_KEYS = `https://www.googleapis.com/service_accounts/v1/jwk/${CHAT}`
const GOOGLE = ['https://accounts.google.com', 'accounts.google.com']
const GOOGLE_KEYS = 'https://www.googleapis.com/oauth2/v3/certs'
/** Of an app that was configured as an add-on of Workspace: its own project signs. */
const ADD_ON = /^service-\d+@gcp-sa-gsuiteaddons\.iam\.gserviceaccount\.com$/
const tokens = new SignedTokens()

/** For the number of a project Chat itself signs; for an address Google signs, and says that it was Chat that asked. */
export async function isGoogleCall(
  request: HttpRequest,
  { secret, settings, net, clock }: PlatformContext<GoogleChatSettings>,
): Promise<boolean> {
  const audience = secret('GOOGLE_CHAT_AUDIENCE')
  const isProject = /^\d+$/.test(audience)
  const issuers = isProject ? [CHAT] : GOOGLE
  const keys = settings.keys_url || (isProject ? CHAT_KEYS : GOOGLE_KEYS)
  const known = await tokens.read(request, { issuers, audience, keys }, { net, clock })
  if (!known || isProject) return known !== undefined
  const { email, email_verified: isVerified } = known.claims
  return isVerified === true && (email === CHAT || ADD_ON.test(String(email)))
}
