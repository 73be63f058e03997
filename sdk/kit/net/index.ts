/** `svc/sdk/kit/net`: text WebSockets, lines, server-sent events, signatures of webhooks, refusals of services, and contacts of platforms. */
export { isContact } from './contact.ts'
export { type EventOptions, readEvents, type ServerSentEvent } from './events.ts'
export { encodeJsonBody, readJsonBody } from './json.ts'
export { type LineLimit, readLines, splitLines } from './lines.ts'
export { requireService, withStatus } from './refusals.ts'
export {
  type Ed25519Claim,
  isRecent,
  isSameSecret,
  matchesEd25519,
  matchesSignature,
  type SignatureClaim,
} from './signatures.ts'
export { type SignedToken, type SignedTokenClaim, SignedTokens, type SignedTokensDeps } from './signed-tokens.ts'
export {
  openTextSocket,
  type SocketWatch,
  type TextSocket,
  type TextSocketEvents,
  type TextSocketOptions,
} from './text-socket.ts'
export { type SignedContent, WebhookLock, type WebhookLockOptions } from './webhook-lock.ts'
