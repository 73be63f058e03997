/** Feishu and Lark, whose events come by webhook or over a long connection, after open.feishu.cn/document/server-docs. */
import { createHash } from 'node:crypto'
import { measureSound } from 'svc/sdk/kit/files'
import type {
  DescribedMessage,
  PlatformAnswer,
  PlatformApi,
  PlatformDescription,
  PlatformRefusal,
  StreamPlatform,
  WebhookPlatform,
  WebhookSettings,
} from 'svc/sdk/kit/platform'
import {
  beforeSending,
  classifyDeliveryError,
  deliveryRefused,
  type MessageButton,
  type OutboundFile,
} from 'svc/sdk/platform'
import { jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { type FeishuEvent, isGenuine, readEvent as readCall, readChallenge } from './call.ts'
import { readEvent } from './events.ts'
import { listen } from './long-connection.ts'

/** The own keys of the block. */
export interface FeishuSettings extends WebhookSettings {
  readonly events: 'webhook' | 'connection'
}

interface Me {
  readonly openId: string
  /** Groups that wrote: a button says of which kind its chat is. */
  readonly groups: Set<string>
}

const token = z
  .object({ tenant_access_token: z.string().min(1), expire: z.number() })
  .transform((answer) => ({ token: answer.tenant_access_token, lifetimeMs: answer.expire * 1000 }))
const bot = z.object({ bot: z.object({ open_id: z.string().min(1) }) })
const sent = z.object({ data: z.object({ message_id: z.string().min(1) }) })
const image = z.object({ data: z.object({ image_key: z.string().min(1) }) })
const uploaded = z.object({ data: z.object({ file_key: z.string().min(1) }) })
const failure = z.object({ code: z.number(), msg: z.string().optional() })

/** open.feishu.cn/document/server-docs/api-call-guide/generic-error-code */
const ENDPOINT_BUSY = [1, 1000040343, 1000040350]
const ENDPOINT_REFUSED = [403, 514]
const EXPIRED = [99991661, 99991663, 99991665, 99991668, 99991677]
const WRONG_SECRET = [10003, 10014, 99991662, ...ENDPOINT_REFUSED]
const BUSY = [99991400, 11232, 230020, ...ENDPOINT_BUSY]
const WAIT_MS = 1000
const MAX_IMAGE = 10_485_760
const MAX_LABEL = 40

const common: PlatformDescription<Me, FeishuSettings> = {
  name: 'feishu',
  label: 'Feishu',
  hint: 'Answers are Feishu messages: write short plain paragraphs.',
  access: { users: 'FEISHU_ALLOWED_USERS', everyone: 'FEISHU_ALLOW_ALL_USERS', home: 'FEISHU_HOME_CHANNEL' },
  limits: {
    maxTextLength: 8000,
    // A message with a `uuid` is made once within an hour; repeats come within minutes.
    idempotency: 'key',
    buttons: 10,
    files: 31_457_280,
    caption: 0,
    voice: ['opus'],
    rate: { chat: { count: 5, perMs: 1000 }, all: { count: 50, perMs: 1000 } },
  },
  baseUrl: 'https://open.feishu.cn',
  needs: ['FEISHU_APP_ID', 'FEISHU_APP_SECRET'],
  api: ({ secret }) => ({
    token: () => ({
      path: '/open-apis/auth/v3/tenant_access_token/internal',
      json: { app_id: secret('FEISHU_APP_ID'), app_secret: secret('FEISHU_APP_SECRET') },
      answer: token,
    }),
    headers: (value) => ({ authorization: `Bearer ${value}` }),
    isRefusal: ({ json }) => failure.safeParse(json).data?.code !== 0,
    refusal: readRefusal,
  }),
  async identify(api) {
    const { bot: own } = await api.ask({ path: '/open-apis/bot/v3/info', answer: bot })
    return { openId: own.open_id, groups: new Set() }
  },
  // open.feishu.cn/document/applink-protocol/supported-protocol/open-a-bot
  contact({ address, secret }) {
    const host = new URL(address).hostname.endsWith('larksuite.com') ? 'applink.larksuite.com' : 'applink.feishu.cn'
    return `https://${host}/client/bot/open?appId=${encodeURIComponent(secret('FEISHU_APP_ID'))}`
  },
  async send({ chatId, text, key, buttons, files = [], replyTo, commit }, api, { me }) {
    if (!/^oc_[\w-]{1,64}$/.test(chatId)) throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no chat of Feishu.`)
    const [file] = files
    const kind = me.groups.has(chatId) ? 'group' : 'p2p'
    const content = file
      ? await upload(file, api)
      : buttons?.length
        ? createCard(text, buttons, kind)
        : { msg_type: 'text', content: { text: withoutTags(text) } }
    const json = { ...content, content: JSON.stringify(content.content), uuid: createUuid(key) }
    const isReply = replyTo !== undefined && /^om_[\w-]+$/.test(replyTo)
    const call = isReply
      ? { path: `/open-apis/im/v1/messages/${replyTo}/reply`, json }
      : { path: '/open-apis/im/v1/messages?receive_id_type=chat_id', json: { receive_id: chatId, ...json } }
    return { messageId: (await api.ask({ ...call, commit, answer: sent })).data.message_id }
  },
  fetch: ({ ref }, api, { address, maxBytes, signal }) =>
    api.fetch(`${address}/open-apis/im/v1/messages/${ref}`, {
      ...{ origins: [new URL(address).origin], maxBytes, signal },
    }),
}

export const feishu: WebhookPlatform<Me, FeishuSettings> = {
  ...common,
  port: 8650,
  path: '/webhooks/feishu',
  needs: [...common.needs, 'FEISHU_VERIFICATION_TOKEN'],
  isGenuine,
  reply(request, context) {
    const challenge = readChallenge(request, context)
    return challenge === undefined ? undefined : jsonResponse({ challenge })
  },
  read: (request, me, context) => take(readCall(request, context), me, context.secret('FEISHU_APP_ID')),
}

/** Events come over a connection that svc opens, so that no address of svc has to be public. */
export const feishuConnection: StreamPlatform<Me, FeishuSettings> = {
  ...common,
  listen: (api, options) =>
    listen({
      ...{ api, clock: options.clock, signal: options.signal, address: options.address },
      account: { AppID: options.secret('FEISHU_APP_ID'), AppSecret: options.secret('FEISHU_APP_SECRET') },
      read: (event) => take(event, options.me, options.secret('FEISHU_APP_ID')) ?? [],
    }),
}

/** Undefined for what is not of this app. */
function take(call: FeishuEvent | undefined, { openId, groups }: Me, app: string): DescribedMessage[] | undefined {
  if (!call || call.header.app_id !== app) return undefined
  const messages = [...readEvent(call, openId)]
  for (const { chatId, chatKind } of messages) if (chatKind === 'group') groups.add(chatId)
  return messages
}

/** Of 50 characters at most. The same key of the outbox has the same. */
function createUuid(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

/** A tag such as `<at user_id="all">` would call everybody. */
function withoutTags(text: string): string {
  return text.replace(/<(?=\/?(?:at|a|b|i|u|s)\b)/gi, '<\u200b')
}

function createCard(text: string, buttons: readonly MessageButton[], kind: string) {
  const types = { primary: 'primary', danger: 'danger' } as const
  const actions = buttons.map(({ value, label, style }) => ({
    ...{ tag: 'button', text: { tag: 'plain_text', content: label.slice(0, MAX_LABEL) } },
    ...{ type: style ? types[style] : 'default', value: { press: value, label, chat_type: kind } },
  }))
  const elements = [
    { tag: 'div', text: { tag: 'plain_text', content: text } },
    { tag: 'action', actions },
  ]
  return { msg_type: 'interactive', content: { config: { wide_screen_mode: true }, elements } }
}

/** What was uploaded is seen once a message names it. */
async function upload(file: OutboundFile, api: PlatformApi) {
  const spoken = file.isVoice ? await uploadVoice(file, api) : undefined
  if (spoken) return spoken
  const part = { name: file.name, mediaType: file.mediaType, bytes: await file.bytes() }
  if (file.kind === 'image' && file.size <= MAX_IMAGE) {
    const form = { fields: { image_type: 'message' }, files: { field: 'image', ...part } }
    const call = { path: '/open-apis/im/v1/images', upload: form, answer: image }
    return { msg_type: 'image', content: (await beforeSending(api.ask(call))).data }
  }
  const fields = { file_type: 'stream', file_name: file.name }
  const call = {
    path: '/open-apis/im/v1/files',
    upload: { fields, files: { field: 'file', ...part } },
    answer: uploaded,
  }
  return { msg_type: 'file', content: (await beforeSending(api.ask(call))).data }
}

/** Undefined for what Feishu has no voice message for: they are Opus in Ogg, with their length in milliseconds. */
async function uploadVoice(file: OutboundFile, api: PlatformApi) {
  const bytes = await file.bytes()
  const length = measureSound(bytes)
  if (length?.format !== 'opus') return undefined
  const fields = { file_type: 'opus', file_name: file.name, duration: String(length.ms) }
  const files = { field: 'file', name: file.name, mediaType: file.mediaType, bytes }
  const call = { path: '/open-apis/im/v1/files', upload: { fields, files }, answer: uploaded }
  try {
    return { msg_type: 'audio', content: (await beforeSending(api.ask(call))).data }
  } catch (error) {
    if (classifyDeliveryError(error).kind !== 'refused') throw error
    return undefined
  }
}

function readRefusal({ status, json, headers }: PlatformAnswer): PlatformRefusal {
  const { code, msg = '' } = failure.safeParse(json).data ?? {}
  if (code === undefined) return {}
  const reason = `${msg} (${code})`
  if (EXPIRED.includes(code)) return { kind: 'expired', reason }
  if (WRONG_SECRET.includes(code)) return { kind: 'logged-out', reason }
  const resetMs = Number(headers['x-ogw-ratelimit-reset']) * 1000
  if (BUSY.includes(code)) return { kind: 'busy', reason, waitMs: resetMs > 0 ? resetMs : WAIT_MS }
  return { reason, ...(status < 300 && { kind: 'refused' }) }
}
