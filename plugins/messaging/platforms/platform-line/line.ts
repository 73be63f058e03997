/** LINE as a webhook platform, after developers.line.biz/en/reference/messaging-api. */
import { createHash } from 'node:crypto'
import { matchesSignature } from 'svc/sdk/kit/net'
import type { PlatformAnswer, PlatformRefusal, WebhookPlatform, WebhookSettings } from 'svc/sdk/kit/platform'
import { deliveryRefused, type MessageButton } from 'svc/sdk/platform'
import { z } from 'zod'
import { readEvents } from './events.ts'

/** The own keys of the block. */
export interface LineSettings extends WebhookSettings {
  readonly content_url: string
}

const me = z.object({ userId: z.string().min(1), basicId: z.string().optional(), premiumId: z.string().optional() })
const sent = z.object({ sentMessages: z.array(z.object({ id: z.string().min(1) })).min(1) })
const nothing = z.unknown()
const failure = z.object({
  message: z.string(),
  details: z.array(z.object({ message: z.string().optional() })).optional(),
})

/** Of a label of a quick reply. */
const MAX_LABEL = 20
/** A retry key was used before: the answer has the message that was made then. */
const TAKEN_BEFORE = 409
const LOADING_SECONDS = 20

export const line: WebhookPlatform<z.infer<typeof me>, LineSettings> = {
  name: 'line',
  label: 'LINE',
  hint: 'Answers are LINE messages: write short plain paragraphs.',
  access: { users: 'LINE_ALLOWED_USERS', everyone: 'LINE_ALLOW_ALL_USERS', home: 'LINE_HOME_CHANNEL' },
  limits: {
    maxTextLength: 5000,
    // A retry key holds for 24 hours, as long as a message is tried.
    idempotency: 'key',
    buttons: 13,
    rate: { all: { count: 100, perMs: 1000 } },
  },
  baseUrl: 'https://api.line.me',
  port: 8646,
  path: '/webhooks/line',
  needs: ['LINE_CHANNEL_ACCESS_TOKEN', 'LINE_CHANNEL_SECRET'],
  api: ({ secret }) => ({
    headers: () => ({ authorization: `Bearer ${secret('LINE_CHANNEL_ACCESS_TOKEN')}` }),
    refusal: readRefusal,
  }),
  identify: (api) => api.ask({ path: '/v2/bot/info', answer: me }),
  // developers.line.biz/en/docs/messaging-api/using-line-url-scheme, "Opening a LINE Official Account's profile".
  contact: ({ me: { basicId, premiumId = basicId } }) =>
    premiumId === undefined ? undefined : `https://line.me/R/ti/p/${encodeURIComponent(premiumId)}`,
  isGenuine: ({ body, headers }, { secret }) =>
    matchesSignature({
      ...{ key: secret('LINE_CHANNEL_SECRET'), parts: [body], given: headers['x-line-signature'] ?? '' },
      encoding: 'base64',
    }),
  read: ({ body }, { userId }) => readEvents(body, userId),
  async send({ chatId, text, key, buttons, commit }, api) {
    if (!/^[UCR][0-9a-f]{32}$/.test(chatId))
      throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no id of a user, group or room of LINE.`)
    const message = { type: 'text', text, ...(buttons?.length && { quickReply: createQuickReply(buttons) }) }
    const { sentMessages } = await api.ask({
      path: '/v2/bot/message/push',
      json: { to: chatId, messages: [message] },
      headers: { 'x-line-retry-key': createRetryKey(key) },
      accept: [TAKEN_BEFORE],
      answer: sent,
      commit,
    })
    return { messageId: sentMessages[0]?.id ?? '' }
  },
  fetch: ({ ref }, api, { settings: { content_url: address }, maxBytes, signal }) => {
    const url = `${address.replace(/\/+$/, '')}/v2/bot/message/${encodeURIComponent(ref)}/content`
    return api.fetch(url, { origins: [new URL(address).origin], maxBytes, signal })
  },
  /** Only in chats with one person. */
  async typing(chatId, api, { signal }) {
    if (!chatId.startsWith('U')) return
    const json = { chatId, loadingSeconds: LOADING_SECONDS }
    await api.ask({ path: '/v2/bot/chat/loading/start', json, answer: nothing, signal })
  },
}

/** Any UUID will do; the same key of the outbox has the same. */
function createRetryKey(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

function createQuickReply(buttons: readonly MessageButton[]): object {
  return {
    items: buttons.map(({ value, label }) => ({
      type: 'action',
      action: { type: 'postback', label: label.slice(0, MAX_LABEL), data: `${value}\n${label}`, displayText: label },
    })),
  }
}

/** 429 is both "too fast" and "the messages of this month are used up", which waiting does not change. */
function readRefusal({ status, json }: PlatformAnswer): PlatformRefusal {
  const { message, details = [] } = failure.safeParse(json).data ?? {}
  const reason = [message, ...details.map((detail) => detail.message)].filter(Boolean).join('; ')
  const said = reason === '' ? {} : { reason }
  if (status === 401) return { kind: 'logged-out', ...said }
  return status === 429 && /monthly limit/i.test(reason) ? { kind: 'refused', ...said } : said
}
