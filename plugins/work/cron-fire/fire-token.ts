/** Tokens that ask for the run of one job: JWT (RFC 7519), signed with HS256. */
import { Buffer } from 'node:buffer'
import type { SecretUse } from 'svc/sdk/dashboard'
import { explainWeakSecret } from 'svc/sdk/safety'
import { z } from 'zod'

/** RFC 7518, section 3.2: a key of at least the size of the hash. */
const MIN_SECRET_BYTES = 32
/** The clocks of both sides may differ by so much. */
const TOLERANCE_SECONDS = 30
/** A token is for one moment. Rows that tell a repeated one are kept for much longer. */
const MAX_LIFE_SECONDS = 3600

const claims = z.looseObject({
  purpose: z.literal('cron_fire'),
  job_id: z.string().min(1).max(100),
  jti: z.string().min(1).max(200),
  iat: z.number().int().positive(),
  exp: z.number().int().positive(),
})

/** What a valid token asks for. */
export interface FireToken {
  readonly jobId: string
  /** When it was issued, in Unix milliseconds. */
  readonly at: number
}

/** The token of an `Authorization` header, or why it is refused. `now` is in Unix milliseconds. */
export async function readFireToken(
  authorization: string | undefined,
  secret: string | undefined,
  now: number,
): Promise<FireToken | NonNullable<SecretUse['refusal']>> {
  const [, token] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? []
  if (token === undefined) return 'missing'
  if (secret === undefined) return 'not-set'
  const key = Buffer.from(secret)
  if (key.byteLength < MIN_SECRET_BYTES || explainWeakSecret(secret) !== undefined) return 'weak'
  const { jwtVerify } = await import('jose')
  const options = { algorithms: ['HS256'], clockTolerance: TOLERANCE_SECONDS, currentDate: new Date(now) }
  const verified = await jwtVerify(token, key, options).catch(() => undefined)
  const read = claims.safeParse(verified?.payload)
  if (!read.success) return 'wrong'
  const { job_id: jobId, iat, exp } = read.data
  const isTimely = iat * 1000 <= now + TOLERANCE_SECONDS * 1000 && exp > iat && exp - iat <= MAX_LIFE_SECONDS
  return isTimely ? { jobId, at: iat * 1000 } : 'wrong'
}
