/**
 * Proofs of Meta: `X-Hub-Signature-256` is `sha256=` and the hex HMAC of the raw body, keyed with the app secret; the
 * verify token is shown once (developers.facebook.com/docs/graph-api/webhooks/getting-started).
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export function isSigned(secret: string, body: Uint8Array, header: string | undefined): boolean {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(header ?? '')?.[1]
  if (given === undefined || secret === '') return false
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(body).digest())
}

/** Takes the same time for every wrong text. */
export function isSame(one: string, two: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(two))
}
