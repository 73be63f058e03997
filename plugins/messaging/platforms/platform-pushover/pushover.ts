/** Pushover as a platform, after pushover.net/api (messages out) and pushover.net/api/client (messages in). */
import { type DescribedSettings, type PlatformAnswer, readSocket, type StreamPlatform } from 'svc/sdk/kit/platform'
import { deliveryRefused, type InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

/** The own keys of the block. */
export interface PushoverSettings extends DescribedSettings {
  readonly stream_url: string
}

export const STREAM_URL = 'wss://client.pushover.net/push'

const done = z.object({ status: z.literal(1) })
const sent = z.object({ status: z.literal(1), request: z.string().min(1) })
const message = z.object({
  id: z.number(),
  umid: z.number().optional(),
  aid: z.number(),
  app: z.string().optional(),
  message: z.string(),
  title: z.string().nullish(),
  date: z.number().optional(),
})
type Message = z.infer<typeof message>
const inbox = z.object({ messages: z.array(message) })
const failure = z.object({ errors: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]) })

/** All that comes to the account is one chat. */
const INBOX = 'inbox'
/** Our own messages come back to our own device; by this title they are known. */
const TITLE = 'svc'
/** A keepalive comes about every minute. */
const SILENCE_MS = 180_000
/** pushover.net/api/client, "WebSocket": a new message, an error that stays, and a login elsewhere. */
const ARRIVED = '!'
const REFUSED = 'E'
const TAKEN_OVER = 'A'

export const pushover: StreamPlatform<object, PushoverSettings> = {
  name: 'pushover',
  label: 'Pushover',
  hint: 'Answers are shown as push notifications: write one or two sentences.',
  access: { users: 'PUSHOVER_ALLOWED_USERS', everyone: 'PUSHOVER_ALLOW_ALL_USERS', home: 'PUSHOVER_HOME_CHANNEL' },
  limits: { maxTextLength: 1024, measure: 'codepoints', idempotency: 'none', rate: { all: { count: 2, perMs: 1000 } } },
  baseUrl: 'https://api.pushover.net',
  needs: ['PUSHOVER_TOKEN', 'PUSHOVER_USER', 'PUSHOVER_DEVICE_ID', 'PUSHOVER_SECRET'],
  accountFrom: ['PUSHOVER_DEVICE_ID'],
  api: () => ({ refusal: readRefusal }),
  identify: (api, { secret }) =>
    api.ask({
      path: '/1/users/validate.json',
      form: new URLSearchParams({ token: secret('PUSHOVER_TOKEN'), user: secret('PUSHOVER_USER') }),
      answer: done,
    }),
  async *listen(api, { settings, secret, clock, signal }) {
    const [device, key] = [secret('PUSHOVER_DEVICE_ID'), secret('PUSHOVER_SECRET')]
    const query = new URLSearchParams({ secret: key, device_id: device })
    const events = readSocket({
      ...{ url: settings.stream_url, label: 'Pushover', clock, signal, silenceMs: SILENCE_MS },
      opened: (socket) => socket.send(`login:${device}:${key}\n`),
    })
    for await (const event of events) {
      if (event === REFUSED)
        throw deliveryRefused('PLATFORM_UNAUTHORIZED', 'Pushover does not accept the device. Register it again.')
      if (event === TAKEN_OVER)
        throw deliveryRefused('PLATFORM_UNAUTHORIZED', 'The device is used by another program. Register one for svc.')
      // The socket is open, or something arrived; anything else is a keepalive.
      if (event !== undefined && event !== ARRIVED) {
        yield { messages: [] }
        continue
      }
      const { messages } = await api.ask({ path: `/1/messages.json?${query}`, answer: inbox })
      yield { messages: messages.flatMap(toInbound) }
      const newest = Math.max(...messages.map(({ id }) => id))
      if (messages.length > 0) {
        const form = new URLSearchParams({ secret: key, message: String(newest) })
        const path = `/1/devices/${encodeURIComponent(device)}/update_highest_message.json`
        await api.ask({ path, form, answer: done })
      }
    }
  },
  async send({ chatId, text, commit }, api, { secret }) {
    if (chatId !== INBOX)
      throw deliveryRefused('PLATFORM_REFUSED', `Pushover has one chat, "${INBOX}", and no "${chatId}".`)
    const [token, user] = [secret('PUSHOVER_TOKEN'), secret('PUSHOVER_USER')]
    const form = new URLSearchParams({ token, user, title: TITLE, message: text })
    return { messageId: (await api.ask({ path: '/1/messages.json', form, commit, answer: sent })).request }
  },
}

/** The sender is an application of the account. */
function toInbound({ id, umid, aid, title, message: text, date }: Message): Omit<InboundMessage, 'platform'>[] {
  if (title === TITLE) return []
  const said = title ? `${title}\n${text}` : text
  const origin = { chatId: INBOX, userId: String(aid), messageId: String(umid ?? id), text: said }
  return [{ ...origin, ...(date !== undefined && { at: date * 1000 }) }]
}

/** 400 is about the request, its token and its user alike; the words tell which. */
function readRefusal({ status, json, headers }: PlatformAnswer) {
  const { errors = [] } = failure.safeParse(json).data ?? {}
  const reason = (Array.isArray(errors) ? errors : Object.values(errors).flat()).join('; ')
  const said = reason === '' ? {} : { reason }
  if (
    /application token is invalid|user key is invalid|user identifier is (?:invalid|not a valid)|secret/i.test(reason)
  )
    return { kind: 'logged-out' as const, ...said }
  // The messages of the month are used up: waiting for a second changes nothing.
  if (status === 429 && headers['x-limit-app-remaining'] === '0') return { kind: 'refused' as const, ...said }
  return said
}
