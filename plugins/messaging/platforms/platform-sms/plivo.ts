/**
 * Plivo (plivo.com/docs/messaging/api/message, plivo.com/docs/messaging/concepts/signature-validation): its signature is the
 * HMAC-SHA256 of the public address and a nonce, and does not cover the body.
 */
import { createHash } from 'node:crypto'
import { matchesSignature } from 'svc/sdk/kit/net'
import { z } from 'zod'
import { basic, maskNumbers, parseForm, type SmsContext, type SmsVendor, withoutPlus, withPlus } from './vendor.ts'

const account = z.object({ auth_id: z.string() })
const sent = z.object({ message_uuid: z.array(z.string().min(1)).min(1) })
const failure = z.object({ error: z.string() })

/** So many nonces are remembered: with another body a nonce was stolen. */
const MAX_NONCES = 10_000

export function createPlivo(): SmsVendor {
  const seen = new Map<string, string>()
  return {
    label: 'Plivo',
    baseUrl: 'https://api.plivo.com',
    path: '/webhooks/plivo',
    needs: ['PLIVO_AUTH_ID', 'PLIVO_AUTH_TOKEN'],
    number: 'PLIVO_PHONE_NUMBER',
    // Of a message with characters outside of GSM 03.38; others may have 1,600.
    maxTextLength: 737,
    isAddressSigned: true,
    api: ({ secret }) => ({
      headers: () => basic(secret('PLIVO_AUTH_ID'), secret('PLIVO_AUTH_TOKEN')),
      refusal({ status, json }) {
        const reason = failure.safeParse(json).data?.error
        return { ...(reason && { reason: maskNumbers(reason) }), ...(status === 401 && { kind: 'logged-out' }) }
      },
    }),
    check: (api, context) => api.ask({ path: accountPath(context), answer: account }),
    async send({ from, to, text, commit }, api, context) {
      const json = { src: withoutPlus(from), dst: withoutPlus(to), text }
      const { message_uuid: ids } = await api.ask({
        ...{ path: `${accountPath(context)}Message/`, json, commit },
        answer: sent,
      })
      return ids[0] ?? ''
    },
    isGenuine({ headers, body }, { secret }, url) {
      const { 'x-plivo-signature-v2': given = '', 'x-plivo-signature-v2-nonce': nonce = '' } = headers
      const [address = ''] = url.split(/[?#]/)
      const key = secret('PLIVO_AUTH_TOKEN')
      const isSigned = matchesSignature({ key, parts: [address, nonce], given, encoding: 'base64' })
      return isSigned && nonce !== '' && isFirst(seen, nonce, createHash('sha256').update(body).digest('hex'))
    },
    read({ body }) {
      const form = parseForm(body)
      const [from, to, messageId] = ['From', 'To', 'MessageUUID'].map((name) => form.get(name)?.trim())
      if (!from || !to || !messageId) return undefined
      const text = form.get('Text')
      return text === null ? 'ignored' : { from: withPlus(from), to: withPlus(to), messageId, text }
    },
  }
}

/** Or the same once more. */
function isFirst(seen: Map<string, string>, nonce: string, hash: string): boolean {
  const before = seen.get(nonce)
  if (before !== undefined) return before === hash
  seen.set(nonce, hash)
  const [oldest] = seen.size > MAX_NONCES ? seen.keys() : []
  if (oldest !== undefined) seen.delete(oldest)
  return true
}

function accountPath({ secret }: SmsContext): string {
  return `/v1/Account/${encodeURIComponent(secret('PLIVO_AUTH_ID'))}/`
}
