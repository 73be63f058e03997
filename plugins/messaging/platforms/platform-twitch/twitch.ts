/** Twitch as a platform: its chat comes in over IRC, answers leave by its API (dev.twitch.tv/docs/api/reference/#send-chat-message). */
import {
  type DescribedSettings,
  type PlatformAnswer,
  type PlatformRefusal,
  readSocket,
  type StreamPlatform,
} from 'svc/sdk/kit/platform'
import { deliveryBusy, deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'
import { type ChatAccount, listLines, login, takeStep } from './chat.ts'

/** The own keys of the block. */
export interface TwitchSettings extends DescribedSettings {
  readonly auth_url: string
  readonly chat_url: string
  readonly join: readonly string[]
}

export const AUTH_URL = 'https://id.twitch.tv'
export const CHAT_URL = 'wss://irc-ws.chat.twitch.tv:443'

const token = z
  .object({ access_token: z.string().min(1), expires_in: z.number() })
  .transform((answer) => ({ token: answer.access_token, lifetimeMs: answer.expires_in * 1000 }))
const users = z.object({ data: z.array(z.object({ id: z.string(), login: z.string() })).min(1) })
const sent = z.object({
  data: z
    .array(
      z.object({
        message_id: z.string(),
        is_sent: z.boolean(),
        drop_reason: z.object({ code: z.string(), message: z.string() }).nullish(),
      }),
    )
    .min(1),
})
const failure = z.object({ message: z.string() })

/** Twitch pings every five minutes, and answers our pings at once. */
const PING_MS = 60_000
const SILENCE_MS = 150_000
/** A message has one line; this says where others end, and makes it no longer. */
const LINE_END = '⏎'
/** The same words within half a minute are dropped. */
const DUPLICATE = 'msg_duplicate'
const DUPLICATE_MS = 30_000

export const twitch: StreamPlatform<ChatAccount, TwitchSettings> = {
  name: 'twitch',
  label: 'Twitch',
  hint: 'Answers are messages in the chat of a stream: write one or two short sentences without decoration.',
  access: { users: 'TWITCH_ALLOWED_USERS', everyone: 'TWITCH_ALLOW_ALL_USERS', home: 'TWITCH_HOME_CHANNEL' },
  // An account that is no moderator: dev.twitch.tv/docs/chat/#rate-limits.
  limits: {
    ...{ maxTextLength: 500, measure: 'codepoints', idempotency: 'none', commandPrefix: '!' },
    rate: { chat: { count: 1, perMs: 1000 }, all: { count: 20, perMs: 30_000 } },
  },
  baseUrl: 'https://api.twitch.tv',
  needs: ['TWITCH_CLIENT_ID', 'TWITCH_CLIENT_SECRET', 'TWITCH_REFRESH_TOKEN'],
  accountFrom: ['TWITCH_REFRESH_TOKEN'],
  api: ({ secret, settings }) => ({
    token: () => ({
      baseUrl: settings.auth_url,
      path: '/oauth2/token',
      form: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: secret('TWITCH_REFRESH_TOKEN'),
        client_id: secret('TWITCH_CLIENT_ID'),
        client_secret: secret('TWITCH_CLIENT_SECRET'),
      }),
      answer: token,
    }),
    headers: (value) => ({ authorization: `Bearer ${value}`, 'client-id': secret('TWITCH_CLIENT_ID') }),
    refusal: readRefusal,
  }),
  async identify(api) {
    const { data } = await api.ask({ path: '/helix/users', answer: users })
    const [{ id, login: name } = { id: '', login: '' }] = data
    return { id, login: name }
  },
  async *listen(api, { me, settings, clock, signal }) {
    const value = await api.token()
    let send = (_text: string) => {}
    const channels = settings.join.length > 0 ? settings.join : [me.login]
    const names = channels.map((name) => name.replace(/^#/, '').toLowerCase())
    const events = readSocket({
      ...{ url: settings.chat_url, label: 'Twitch', clock, signal, silenceMs: SILENCE_MS, pingMs: PING_MS },
      opened(socket) {
        send = (text) => socket.send(text)
        send(login(value, me))
      },
    })
    for await (const text of events)
      for (const line of listLines(text ?? '')) {
        const { reply, messages } = takeStep(line, me, names)
        if (reply !== undefined) send(reply)
        if (messages) yield { messages }
      }
  },
  async send({ chatId, text, replyTo, commit }, api, { me }) {
    if (!/^\d{1,20}$/.test(chatId))
      throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no id of a channel of Twitch.`)
    const message = text.replace(/\n+/g, LINE_END)
    const json = {
      ...{ broadcaster_id: chatId, sender_id: me.id, message },
      ...(replyTo !== undefined && { reply_parent_message_id: replyTo }),
    }
    const { data } = await api.ask({ path: '/helix/chat/messages', json, commit, answer: sent })
    const [{ message_id: messageId, is_sent: isSent, drop_reason: why } = { message_id: '', is_sent: false }] = data
    if (isSent) return { messageId }
    const reason = `Twitch dropped the message: ${why?.message ?? 'without a reason'}`
    if (why?.code === DUPLICATE) throw deliveryBusy('PLATFORM_REFUSED', reason, { retryAfterMs: DUPLICATE_MS })
    throw deliveryRefused('PLATFORM_REFUSED', reason)
  },
}

function readRefusal({ status, json, headers }: PlatformAnswer): PlatformRefusal {
  const reason = failure.safeParse(json).data?.message
  const said = reason === undefined ? {} : { reason }
  if (/invalid (?:refresh token|client)/i.test(reason ?? '')) return { kind: 'logged-out', ...said }
  // Seconds since 1970, when one more request is allowed.
  const reset = Number(headers['ratelimit-reset']) * 1000 - Date.parse(headers['date'] ?? '')
  return { ...said, ...(status === 429 && reset > 0 && { waitMs: reset }) }
}
