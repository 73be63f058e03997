/**
 * Proofs of Meta: `X-Hub-Signature-256` is `sha256=` and the hex HMAC of the raw body, keyed with the app secret; the
 * verify token is shown once (developers.facebook.com/docs/graph-api/webhooks/getting-started).
 */
import { matchesSignature } from 'svc/sdk/kit/net'

export function isSigned(secret: string, body: Uint8Array, header: string | undefined): boolean {
  const given = /^sha256=([0-9a-f]{64})$/i.exec(header ?? '')?.[1]
  return given !== undefined && matchesSignature({ key: secret, parts: [body], given })
}
