/** The service account of an app, and how it asks for tokens (developers.google.com/identity/protocols/oauth2/service-account). */
import { tryParseJson } from 'svc/sdk'
import type { PlatformTokenCall } from 'svc/sdk/kit/platform'
import { deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'

const account = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
})
const token = z
  .object({ access_token: z.string().min(1), expires_in: z.number() })
  .transform(({ access_token, expires_in }) => ({ token: access_token, lifetimeMs: expires_in * 1000 }))

const SCOPE = 'https://www.googleapis.com/auth/chat.bot'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const HOUR_SECONDS = 3600

/** Throws when it is no key; what it holds is not repeated. */
export function readServiceAccount(text: string): z.infer<typeof account> {
  const read = account.safeParse(tryParseJson(text)?.value)
  if (read.success) return read.data
  const advice = 'Set GOOGLE_CHAT_SERVICE_ACCOUNT to the JSON key of the service account, on one line.'
  throw deliveryRefused(
    'PLATFORM_UNAUTHORIZED',
    `GOOGLE_CHAT_SERVICE_ACCOUNT is no key of a service account. ${advice}`,
  )
}

/** An assertion that the account has signed. The key never leaves. */
export async function createTokenCall(
  { client_email: issuer, private_key: key, private_key_id: kid }: z.infer<typeof account>,
  url: string,
  nowMs: number,
): Promise<PlatformTokenCall> {
  const { importPKCS8, SignJWT } = await import('jose')
  const now = Math.floor(nowMs / 1000)
  const privateKey = await importPKCS8(key, 'RS256').catch((cause: unknown) => {
    throw deliveryRefused(
      'PLATFORM_UNAUTHORIZED',
      'The private key in GOOGLE_CHAT_SERVICE_ACCOUNT cannot be read.',
      cause,
    )
  })
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', ...(kid !== undefined && { kid }) })
    .setIssuer(issuer)
    .setAudience(url)
    .setIssuedAt(now)
    .setExpirationTime(now + HOUR_SECONDS)
    .sign(privateKey)
  const form = new URLSearchParams({ grant_type: GRANT, assertion })
  return { baseUrl: url, path: '', form, answer: token }
}
