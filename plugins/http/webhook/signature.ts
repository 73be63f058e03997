/**
 * Who sent an event, proven the way the route wants it: `github` (docs.github.com/webhooks/using-webhooks/
 * validating-webhook-deliveries), `gitlab` (docs.gitlab.com/user/project/integrations/webhooks), `svix` (docs.svix.com/
 * receiving/verifying-payloads/how-manual and standardwebhooks.com), `generic` and the older `generic-v1`.
 */
import { createHash, createHmac } from 'node:crypto'
import { isRecent, isSameSecret, matchesSignature } from 'svc/sdk/kit/net'

export const styles = ['github', 'gitlab', 'svix', 'generic', 'generic-v1'] as const
export type Style = (typeof styles)[number]

type Headers = Readonly<Record<string, string>>

/** What is to be proven. */
export interface Claim {
  readonly headers: Headers
  readonly body: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
}

/** `mark`: the same for the same signed content; where nothing of the request is signed, for the same body. */
export type Proof =
  | { readonly ok: true; readonly mark: string }
  | { readonly ok: false; readonly why: 'missing' | 'wrong' | 'late' }

export function prove(style: Style, secret: string, claim: Claim): Proof {
  return provers[style](secret, claim)
}

type Prover = (secret: string, claim: Claim) => Proof

const provers: Readonly<Record<Style, Prover>> = {
  github: (secret, { headers, body }) => {
    const given = headers['x-hub-signature-256']
    return given === undefined ? missing : compareSignature(secret, [body], given.replace(/^sha256=/, ''), 'hex')
  },
  gitlab: (secret, { headers, body }) => {
    const given = headers['x-gitlab-token']
    if (given === undefined) return missing
    return isSameSecret(given, secret) ? { ok: true, mark: sha256(body).toString('hex') } : wrong
  },
  svix: (secret, { headers, body, now }) => {
    const [id, time, given] = ['id', 'timestamp', 'signature'].map(
      (name) => headers[`svix-${name}`] ?? headers[`webhook-${name}`],
    )
    if (!id || !time || !given) return missing
    if (!isRecent(time, now)) return late
    const signatures = given.split(' ').flatMap((each) => (each.startsWith('v1,') ? each.slice(3) : []))
    const proofs = signatures.map((each) => compareSignature(svixKey(secret), [`${id}.${time}.`, body], each, 'base64'))
    return proofs.find(({ ok }) => ok) ?? wrong
  },
  generic: (secret, { headers, body, now }) => {
    const [given, time] = [headers['x-webhook-signature-v2'], headers['x-webhook-timestamp']]
    if (given === undefined || time === undefined) return missing
    if (!isRecent(time, now)) return late
    return compareSignature(secret, [`${time}.`, body], given, 'hex')
  },
  'generic-v1': (secret, { headers, body }) => {
    const given = headers['x-webhook-signature']
    return given === undefined ? missing : compareSignature(secret, [body], given, 'hex')
  },
}

const missing: Proof = { ok: false, why: 'missing' }
const wrong: Proof = { ok: false, why: 'wrong' }
const late: Proof = { ok: false, why: 'late' }

type Parts = readonly (string | Uint8Array)[]

function compareSignature(key: string | Buffer, parts: Parts, given: string, encoding: 'hex' | 'base64'): Proof {
  if (!matchesSignature({ key, parts, given, encoding })) return wrong
  return { ok: true, mark: sha256(...parts).toString('hex') }
}

function hmac(key: string | Buffer, parts: Parts): Buffer {
  const sum = createHmac('sha256', key)
  for (const part of parts) sum.update(part)
  return sum.digest()
}

function sha256(...parts: Parts): Buffer {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part)
  return sum.digest()
}

function svixKey(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
}

/** What a sender signs with. */
export interface Sample {
  readonly id: string
  readonly event: string
  readonly body: string
  readonly now: number
}

/** The headers of a sender of this style. */
export function sign(style: Style, secret: string, { id, event, body, now }: Sample): Headers {
  const time = String(Math.floor(now / 1000))
  const hex = (...parts: Parts) => hmac(secret, parts).toString('hex')
  switch (style) {
    case 'github':
      return { 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${hex(body)}` }
    case 'gitlab':
      return { 'x-gitlab-event': event, 'idempotency-key': id, 'x-gitlab-token': secret }
    case 'svix': {
      const signature = hmac(svixKey(secret), [`${id}.${time}.`, body]).toString('base64')
      return { 'svix-id': id, 'svix-timestamp': time, 'svix-signature': `v1,${signature}` }
    }
    case 'generic':
      return { 'x-request-id': id, 'x-webhook-timestamp': time, 'x-webhook-signature-v2': hex(`${time}.`, body) }
    case 'generic-v1':
      return { 'x-request-id': id, 'x-webhook-signature': hex(body) }
  }
}

/** Where a style says which event it is, and which delivery: a repeated one has the same id. */
export const styleHeaders: Readonly<Record<Style, { readonly event?: string; readonly ids: readonly string[] }>> = {
  github: { event: 'x-github-event', ids: ['x-github-delivery'] },
  gitlab: { event: 'x-gitlab-event', ids: ['idempotency-key', 'x-gitlab-event-uuid'] },
  svix: { ids: ['svix-id', 'webhook-id'] },
  generic: { ids: ['x-request-id'] },
  'generic-v1': { ids: ['x-request-id'] },
}
