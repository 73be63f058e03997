/**
 * Proof that a request is Slack's (docs.slack.dev/authentication/verifying-requests-from-slack): signed with the secret of the app
 * over the time and the body.
 */
import type { SignedContent } from 'svc/sdk/kit/net'
import type { HttpRequest } from 'svc/sdk/web'

/** `v0=` and the HMAC-SHA256 of `v0:time:body`. */
export function readSigned({ headers, body }: Pick<HttpRequest, 'headers' | 'body'>): SignedContent | undefined {
  const { 'x-slack-request-timestamp': time, 'x-slack-signature': signature } = headers
  if (time === undefined || !signature?.startsWith('v0=')) return undefined
  return { given: [signature.slice(3)], parts: [`v0:${time}:`, body], time }
}
