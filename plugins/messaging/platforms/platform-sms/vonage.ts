/**
 * Vonage (developer.vonage.com/en/api/messages, developer.vonage.com/en/getting-started/concepts/webhooks): the Messages API, whose
 * calls carry a token (RFC 7519) that is signed with the signature secret and names the hash of the body.
 */
import { createHash } from 'node:crypto'
import { tryParseJson } from 'svc/sdk'
import { isRecent, isSameSecret, matchesSignature } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { basic, maskNumbers, type SmsVendor, withoutPlus, withPlus } from './vendor.ts'

const applications = z.object({ page_size: z.number() })
const sent = z.object({ message_uuid: z.string().min(1) })
const failure = z.object({ title: z.string().optional(), detail: z.string().optional() })
const call = z.object({
  channel: z.string(),
  message_type: z.string().optional(),
  message_uuid: z.string().min(1),
  from: z.string().min(1),
  to: z.string().min(1),
  text: z.string().optional(),
})
const head = z.object({ alg: z.literal('HS256') })
const claims = z.object({ iat: z.number(), payload_hash: z.string(), api_key: z.string() })

export const vonage: SmsVendor = {
  label: 'Vonage',
  baseUrl: 'https://api.nexmo.com',
  path: '/webhooks/vonage',
  needs: ['VONAGE_API_KEY', 'VONAGE_API_SECRET', 'VONAGE_SIGNATURE_SECRET'],
  number: 'VONAGE_PHONE_NUMBER',
  maxTextLength: 1000,
  api: ({ secret }) => ({
    headers: () => basic(secret('VONAGE_API_KEY'), secret('VONAGE_API_SECRET')),
    refusal({ status, json }) {
      const { title, detail } = failure.safeParse(json).data ?? {}
      const reason = maskNumbers([title, detail].filter(Boolean).join(': '))
      return { ...(reason && { reason }), ...(status === 401 && { kind: 'logged-out' }) }
    },
  }),
  check: (api) => api.ask({ path: '/v2/applications?page_size=1', answer: applications }),
  async send({ from, to, text, commit }, api) {
    const json = { message_type: 'text', channel: 'sms', from: withoutPlus(from), to: withoutPlus(to), text }
    return (await api.ask({ path: '/v1/messages', json, commit, answer: sent })).message_uuid
  },
  isGenuine({ headers, body }, { secret, clock }) {
    const [, header, payload, given] =
      /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(headers['authorization'] ?? '') ?? []
    if (header === undefined || payload === undefined || given === undefined) return false
    const said = claims.safeParse(decode(payload)).data
    if (!head.safeParse(decode(header)).success || !said) return false
    const isSigned = matchesSignature({
      ...{ key: secret('VONAGE_SIGNATURE_SECRET'), parts: [`${header}.${payload}`], encoding: 'base64' },
      given: Buffer.from(given, 'base64url').toString('base64'),
    })
    const hash = createHash('sha256').update(body).digest('hex')
    const isOurs = isSameSecret(said.payload_hash.toLowerCase(), hash) && said.api_key === secret('VONAGE_API_KEY')
    return isSigned && isOurs && isRecent(String(Math.floor(said.iat)), clock.now())
  },
  read({ body }) {
    const known = call.safeParse(tryParseJson(Buffer.from(body).toString('utf8'))?.value).data
    if (!known) return undefined
    const { channel, message_type: type, message_uuid: messageId, text } = known
    // Receipts come to an address of their own, unless one address is set for both.
    if (channel !== 'sms' || type !== 'text' || text === undefined) return 'ignored'
    return { from: withPlus(known.from), to: withPlus(known.to), messageId, text }
  },
}

function decode(part: string): unknown {
  return tryParseJson(Buffer.from(part, 'base64url').toString('utf8'))?.value
}
