/** Calls of Feishu: encrypted, signed, with a token (open.feishu.cn/document/server-docs/event-subscription-guide). */
import { createDecipheriv, createHash } from 'node:crypto'
import { tryParseJson } from 'svc/sdk'
import { isRecent, isSameSecret } from 'svc/sdk/kit/net'
import type { PlatformContext } from 'svc/sdk/kit/platform'
import type { HttpRequest } from 'svc/sdk/web'
import { z } from 'zod'

const sealed = z.object({ encrypt: z.string() })
/** Checks of the address have the token in front, events in their header. */
const check = z.object({ type: z.literal('url_verification'), challenge: z.string(), token: z.string() })
const event = z.object({
  schema: z.literal('2.0'),
  header: z.object({
    event_id: z.string().min(1),
    event_type: z.string(),
    // Over a connection it proves nothing, and may be missing.
    token: z.string().default(''),
    app_id: z.string(),
    create_time: z.string().optional(),
  }),
  event: z.unknown(),
})
export type FeishuEvent = z.infer<typeof event>

/** An event as it stands in a call or in a frame. */
export function parseEvent(value: unknown): FeishuEvent | undefined {
  return event.safeParse(value).data
}

/** The body in the open. With a key only what is encrypted is read. */
export function openCall(body: Uint8Array, key: string): unknown {
  const json = tryParseJson(Buffer.from(body).toString('utf8'))?.value
  if (key === '') return json
  const text = sealed.safeParse(json).data?.encrypt
  return text === undefined ? undefined : tryParseJson(decrypt(text, key) ?? '')?.value
}

/** What is to be echoed in a check of the address; undefined for any other call. */
export function readChallenge({ body }: HttpRequest, { secret }: PlatformContext): string | undefined {
  return check.safeParse(openCall(body, secret('FEISHU_ENCRYPT_KEY'))).data?.challenge
}

export function readEvent({ body }: HttpRequest, { secret }: PlatformContext): FeishuEvent | undefined {
  return parseEvent(openCall(body, secret('FEISHU_ENCRYPT_KEY')))
}

/** The token proves every call; with an encrypt key events are signed, too. A check of the address is not. */
export function isGenuine(request: HttpRequest, context: PlatformContext): boolean {
  const { headers, body } = request
  const key = context.secret('FEISHU_ENCRYPT_KEY')
  const opened = openCall(body, key)
  const asked = check.safeParse(opened).data
  const known = parseEvent(opened)
  const token = asked?.token ?? known?.header.token ?? ''
  if (!isSameSecret(token, context.secret('FEISHU_VERIFICATION_TOKEN'))) return false
  if (asked || key === '') return true
  const [time = '', nonce = '', given = ''] = ['timestamp', 'nonce', 'signature'].map(
    (name) => headers[name === 'signature' ? 'x-lark-signature' : `x-lark-request-${name}`] ?? '',
  )
  const right = createHash('sha256').update(time).update(nonce).update(key).update(body).digest('hex')
  return isSameSecret(right, given) && isRecent(time, context.clock.now())
}

/** AES-256-CBC behind its initialization vector; undefined if it is malformed or of another key. */
function decrypt(text: string, key: string): string | undefined {
  try {
    const bytes = Buffer.from(text, 'base64')
    const decipher = createDecipheriv('aes-256-cbc', createHash('sha256').update(key).digest(), bytes.subarray(0, 16))
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
