/** Courier, a made-up chat service: what it is, and how its messages become those of svc and back. */
import { tryParseJson } from 'svc/sdk'
import { isRecent, matchesSignature } from 'svc/sdk/kit/net'
import type { WebhookPlatform } from 'svc/sdk/kit/platform'
import { chatMarksMarkup } from 'svc/sdk/kit/text'
import { z } from 'zod'

const me = z.object({ id: z.string() })
const call = z.object({
  id: z.string(),
  from: z.string(),
  room: z.string().optional(),
  text: z.string(),
  mentions: z.array(z.string()).default([]),
})

export const courier: WebhookPlatform<z.infer<typeof me>> = {
  name: 'courier',
  label: 'Courier',
  access: { users: 'COURIER_ALLOWED_USERS' },
  // A message with a key that was used before is the one that was sent then.
  limits: {
    maxTextLength: 2000,
    idempotency: 'key',
    markup: chatMarksMarkup,
    rate: { all: { count: 10, perMs: 1000 } },
  },
  baseUrl: 'https://courier.example.com',
  port: 8650,
  path: '/webhooks/courier',
  needs: ['COURIER_TOKEN', 'COURIER_SECRET'],
  api: ({ secret }) => ({ headers: () => ({ authorization: `Bearer ${secret('COURIER_TOKEN')}` }) }),
  identify: (api) => api.ask({ path: '/me', answer: me }),
  isGenuine({ body, headers }, { secret, clock }) {
    const { 'x-courier-time': time = '', 'x-courier-signature': given = '' } = headers
    const claim = { key: secret('COURIER_SECRET'), parts: [time, '.', body], given }
    return isRecent(time, clock.now()) && matchesSignature(claim)
  },
  read({ body }, { id: own }) {
    const read = call.safeParse(tryParseJson(Buffer.from(body).toString('utf8'))?.value)
    if (!read.success) return undefined
    const { id, from, room, text, mentions } = read.data
    const place = room === undefined ? { chatId: from } : { chatId: room, chatKind: 'group' as const }
    return [{ ...place, userId: from, messageId: id, text, ...(mentions.includes(own) && { isMention: true }) }]
  },
  async send({ chatId: to, text, key, commit }, api) {
    const { id } = await api.ask({ path: '/messages', json: { to, text, key }, answer: me, commit })
    return { messageId: id }
  },
}
