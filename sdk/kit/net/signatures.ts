/** Comparing secrets and signatures, in the same time for every wrong one. */
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'

/** A signature and what it is of. @since 0.2 */
export interface SignatureClaim {
  /** The shared secret, as text or as bytes. */
  readonly key: string | Uint8Array
  /** What was signed, in order; the body as it came, never parsed and written again. */
  readonly parts: readonly (string | Uint8Array)[]
  readonly given: string
  /** How `given` is written (default `hex`, in either case). */
  readonly encoding?: 'hex' | 'base64'
  /** Default `sha256`. */
  readonly algorithm?: 'sha256' | 'sha1' | 'sha512'
}

/** Whether `given` is the HMAC (RFC 2104) of the parts. An empty key matches nothing. @since 0.2 */
export function matchesSignature({
  key,
  parts,
  given,
  encoding = 'hex',
  algorithm = 'sha256',
}: SignatureClaim): boolean {
  if (key.length === 0) return false
  const sum = createHmac(algorithm, key)
  for (const part of parts) sum.update(part)
  const right = sum.digest()
  const claimed = decodeWhole(given, encoding)
  return claimed !== undefined && claimed.length === right.length && timingSafeEqual(claimed, right)
}

/** A signature by a private key, and what it is of. @since 0.2 */
export interface Ed25519Claim extends Pick<SignatureClaim, 'parts' | 'given' | 'encoding'> {
  /** The public key: 32 bytes. */
  readonly key: Uint8Array
}

/** A raw key becomes one of RFC 8410 behind these bytes. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** Whether `given` is the Ed25519 signature (RFC 8032) of the parts. A key of another length matches nothing. @since 0.2 */
export function matchesEd25519({ key, parts, given, encoding = 'hex' }: Ed25519Claim): boolean {
  const claimed = decodeWhole(given, encoding)
  if (key.length !== 32 || !claimed) return false
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, key]), format: 'der', type: 'spki' })
  return verify(null, Buffer.concat(parts.map((part) => Buffer.from(part))), publicKey, claimed)
}

/** Decoding passes over what is no digit; undefined for a text with such signs. */
function decodeWhole(given: string, encoding: 'hex' | 'base64'): Buffer | undefined {
  const bytes = Buffer.from(given, encoding)
  return bytes.toString(encoding) === (encoding === 'hex' ? given.toLowerCase() : given) ? bytes : undefined
}

/** Whether two texts, such as a token that is sent along, are the same. Two empty ones are not. @since 0.2 */
export function isSameSecret(one: string, two: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(two)) && one !== ''
}

/** Whether a time of a request, in seconds since 1970, is near now; both sides' clocks may differ by `windowMs`. @since 0.2 */
export function isRecent(seconds: string, nowMs: number, windowMs = 300_000): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(nowMs - Number(seconds) * 1000) <= windowMs
}
