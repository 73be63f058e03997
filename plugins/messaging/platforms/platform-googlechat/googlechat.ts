/** An app of Google Chat, after developers.google.com/workspace/chat/api/reference/rest. */
import { tryParseJson } from 'svc/sdk'
import type { PlatformAnswer, PlatformRefusal, WebhookPlatform, WebhookSettings } from 'svc/sdk/kit/platform'
import { chatMarksMarkup } from 'svc/sdk/kit/text'
import { deliveryRefused, type MessageButton } from 'svc/sdk/platform'
import { z } from 'zod'
import { createTokenCall, readServiceAccount } from './account.ts'
import { isGoogleCall } from './caller.ts'
import { readEvent } from './events.ts'

/** The own keys of the block. */
export interface GoogleChatSettings extends WebhookSettings {
  readonly token_url: string
  readonly keys_url: string
}

const spaces = z.object({ spaces: z.array(z.unknown()).optional() })
const posted = z.object({
  name: z.string().min(1),
  createTime: z.string().optional(),
})
const failure = z.object({
  error: z.union([z.string(), z.object({ message: z.string().optional(), status: z.string().optional() })]),
  error_description: z.string().optional(),
})

export const googlechat: WebhookPlatform<object, GoogleChatSettings> = {
  name: 'googlechat',
  label: 'Google Chat',
  access: {
    users: 'GOOGLE_CHAT_ALLOWED_USERS',
    chats: 'GOOGLE_CHAT_ALLOWED_SPACES',
    everyone: 'GOOGLE_CHAT_ALLOW_ALL_USERS',
    home: 'GOOGLE_CHAT_HOME_CHANNEL',
  },
  limits: {
    maxTextLength: 4000,
    // `requestId`: the same one makes one message.
    idempotency: 'key',
    markup: {
      ...chatMarksMarkup,
      link: (text, address) => `<${address}|${text.replace(/[|<>\n]/g, ' ')}>`,
      escapeAddress,
    },
    buttons: 10,
    // developers.google.com/workspace/chat/limits: one message a second in a space.
    rate: { chat: { count: 1, perMs: 1000 }, all: { count: 40, perMs: 1000 } },
    editEveryMs: 2000,
  },
  baseUrl: 'https://chat.googleapis.com',
  port: 8654,
  path: '/webhooks/googlechat',
  needs: ['GOOGLE_CHAT_SERVICE_ACCOUNT', 'GOOGLE_CHAT_AUDIENCE'],
  api: ({ settings, secret, clock }) => ({
    headers: (value) => ({ authorization: `Bearer ${value}` }),
    token: () =>
      createTokenCall(readServiceAccount(secret('GOOGLE_CHAT_SERVICE_ACCOUNT')), settings.token_url, clock.now()),
    refusal: readRefusal,
  }),
  identify: (api) => api.ask({ path: '/v1/spaces?pageSize=1', answer: spaces }),
  isGenuine: (request, context) => isGoogleCall(request, context),
  read: ({ body }) => readEvent(tryParseJson(Buffer.from(body).toString('utf8'))?.value),
  async send({ chatId, threadId, text, key, buttons, commit }, api) {
    const thread = threadId === undefined ? {} : { thread: { name: `${chatId}/threads/${threadId}` } }
    const query = new URLSearchParams({
      requestId: `svc-${key}`,
      ...(threadId !== undefined && { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' }),
    })
    const json = { text, ...thread, ...createCards(buttons) }
    const { name, createTime = '' } = await api.ask({
      path: `/v1/${checkSpace(chatId)}/messages?${query}`,
      json,
      answer: posted,
      commit,
    })
    const at = Date.parse(createTime)
    return { messageId: name, ...(Number.isFinite(at) && { at }) }
  },
  async edit({ messageId, text, buttons }, api) {
    if (!/^spaces\/[\w-]+\/messages\/[\w.-]+$/.test(messageId))
      throw deliveryRefused('PLATFORM_REFUSED', `"${messageId}" is no message of Google Chat.`)
    const path = `/v1/${messageId}?updateMask=text,cardsV2`
    await api.ask({ path, method: 'PATCH', json: { text, ...createCards(buttons) }, answer: z.unknown() })
  },
  fetch: ({ ref }, api, { address, maxBytes, signal }) => {
    const url = `${address}/v1/media/${encodeURIComponent(ref)}?alt=media`
    return api.fetch(url, { origins: [new URL(address).origin], maxBytes, signal })
  },
}

function checkSpace(chatId: string): string {
  if (/^spaces\/[\w-]{1,100}$/.test(chatId)) return chatId
  throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no space of Google Chat; one is spaces/AAAA.`)
}

function escapeAddress(address: string): string {
  return address.replace(/[|<>\s]/g, (sign) => encodeURIComponent(sign))
}

/** A card (developers.google.com/workspace/chat/api/reference/rest/v1/cards) whose buttons come back with their parameters. */
function createCards(buttons: readonly MessageButton[] = []): object {
  if (buttons.length === 0) return {}
  const list = buttons.map(({ value, label }) => {
    const parameters = [
      { key: 'press', value },
      { key: 'label', value: label },
    ]
    return { text: label, onClick: { action: { function: 'svc-press', parameters } } }
  })
  return { cardsV2: [{ cardId: 'choices', card: { sections: [{ widgets: [{ buttonList: { buttons: list } }] }] } }] }
}

/** RFC 6749, section 5.2, for the token endpoint; google.rpc.Status for all others. */
function readRefusal({ json }: PlatformAnswer): PlatformRefusal {
  const { error, error_description: description } = failure.safeParse(json).data ?? {}
  if (typeof error === 'string') return { kind: 'logged-out', reason: description ?? error }
  return error?.message === undefined ? {} : { reason: error.message }
}
