/**
 * Telnyx (developers.telnyx.com/api/messaging/send-message, developers.telnyx.com/docs/messaging/messages/receiving-webhooks): calls
 * are signed with an Ed25519 key of the account (RFC 8032) over the time and the body.
 */
import { tryParseJson } from 'svc/sdk'
import { isRecent, matchesEd25519 } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { maskNumbers, type SmsVendor } from './vendor.ts'

const balance = z.object({ data: z.object({ record_type: z.literal('balance') }) })
const sent = z.object({ data: z.object({ id: z.string().min(1) }) })
const failure = z.object({
  errors: z.array(z.object({ code: z.string().optional(), title: z.string(), detail: z.string().optional() })).min(1),
})
const call = z.object({
  data: z.object({
    event_type: z.string(),
    payload: z.looseObject({ id: z.string().min(1) }),
  }),
})
const payload = z.object({
  id: z.string().min(1),
  from: z.object({ phone_number: z.string().min(1) }),
  to: z.array(z.object({ phone_number: z.string().min(1) })).min(1),
  text: z.string().nullish(),
})

export const telnyx: SmsVendor = {
  label: 'Telnyx',
  baseUrl: 'https://api.telnyx.com',
  path: '/webhooks/telnyx',
  needs: ['TELNYX_API_KEY', 'TELNYX_PUBLIC_KEY'],
  number: 'TELNYX_PHONE_NUMBER',
  // Ten segments of UCS-2.
  maxTextLength: 670,
  api: ({ secret }) => ({
    headers: () => ({ authorization: `Bearer ${secret('TELNYX_API_KEY')}` }),
    refusal({ status, json }) {
      const [first] = failure.safeParse(json).data?.errors ?? []
      const { code, title, detail } = first ?? {}
      const reason = [title, detail, code !== undefined && `error ${code}`].filter(Boolean).join(', ')
      return { ...(reason && { reason: maskNumbers(reason) }), ...(status === 401 && { kind: 'logged-out' }) }
    },
  }),
  check: (api) => api.ask({ path: '/v2/balance', answer: balance }),
  send: async ({ from, to, text, commit }, api) =>
    (await api.ask({ path: '/v2/messages', json: { from, to, text }, commit, answer: sent })).data.id,
  isGenuine({ headers, body }, { secret, clock }) {
    const { 'telnyx-timestamp': time = '', 'telnyx-signature-ed25519': given = '' } = headers
    const key = Buffer.from(secret('TELNYX_PUBLIC_KEY'), 'base64')
    const isSigned = matchesEd25519({ key, parts: [`${time}|`, body], given, encoding: 'base64' })
    return isSigned && isRecent(time, clock.now())
  },
  read({ body }) {
    const known = call.safeParse(tryParseJson(Buffer.from(body).toString('utf8'))?.value).data
    if (!known) return undefined
    if (known.data.event_type !== 'message.received') return 'ignored'
    const message = payload.safeParse(known.data.payload).data
    if (!message) return undefined
    const { id: messageId, from, to, text } = message
    return { from: from.phone_number, to: to[0]?.phone_number ?? '', messageId, text: text ?? '' }
  },
}
