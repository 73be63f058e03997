/** iMessage through a BlueBubbles server, after docs.bluebubbles.app/server/developer-guides/rest-api-and-webhooks. */
import { tryParseJson } from 'svc/sdk'
import { measureSound } from 'svc/sdk/kit/files'
import { isSameSecret } from 'svc/sdk/kit/net'
import type { DescribedMessage, PlatformAnswer, PlatformRefusal, WebhookPlatform } from 'svc/sdk/kit/platform'
import { deliveryRefused } from 'svc/sdk/platform'
import { z } from 'zod'

const server = z.object({ data: z.object({ server_version: z.string(), private_api: z.boolean().nullish() }) })
const sent = z.object({ data: z.object({ guid: z.string().min(1), dateCreated: z.number().nullish() }) })
const failure = z.object({
  message: z.string().optional(),
  error: z.object({ message: z.string().optional(), error: z.string().optional() }).optional(),
})
const call = z.object({ type: z.string(), data: z.unknown() })
const message = z.object({
  guid: z.string().min(1),
  text: z.string().nullish(),
  isFromMe: z.boolean(),
  /** Recorded in Messages. */
  isAudioMessage: z.boolean().nullish(),
  dateCreated: z.number().nullish(),
  handle: z.object({ address: z.string() }).nullish(),
  chats: z.array(z.object({ guid: z.string() })).min(1),
  /** Set for a tapback on another message. */
  associatedMessageGuid: z.string().nullish(),
  threadOriginatorGuid: z.string().nullish(),
  attachments: z
    .array(
      z.object({
        guid: z.string(),
        transferName: z.string().nullish(),
        mimeType: z.string().nullish(),
        totalBytes: z.number().nullish(),
      }),
    )
    .nullish(),
})

/** Stands in the text where a file is. */
const FILE_SIGN = /\ufffc/g
const CHAT = /^(?:iMessage|SMS|RCS|any);[-+];\S{1,200}$/
const MAX_FILE = 100 * 2 ** 20

export const bluebubbles: WebhookPlatform<z.infer<typeof server>['data']> = {
  name: 'bluebubbles',
  label: 'BlueBubbles',
  hint: 'Answers are text messages of iMessage: write short plain paragraphs.',
  access: {
    users: 'BLUEBUBBLES_ALLOWED_USERS',
    everyone: 'BLUEBUBBLES_ALLOW_ALL_USERS',
    home: 'BLUEBUBBLES_HOME_CHANNEL',
  },
  limits: {
    maxTextLength: 4000,
    idempotency: 'none',
    files: MAX_FILE,
    caption: 0,
    voice: ['mp3'],
    rate: { all: { count: 2, perMs: 1000 } },
  },
  baseUrl: '',
  addressFrom: 'BLUEBUBBLES_SERVER_URL',
  port: 8645,
  path: '/webhooks/bluebubbles',
  needs: ['BLUEBUBBLES_PASSWORD'],
  api: ({ secret }) => ({ query: () => ({ password: secret('BLUEBUBBLES_PASSWORD') }), refusal: readRefusal }),
  identify: async (api) => (await api.ask({ path: '/api/v1/server/info', answer: server })).data,
  /** The server signs nothing: the password is in the address that it calls. */
  isGenuine: ({ query }, { secret }) => isSameSecret(query.get('password') ?? '', secret('BLUEBUBBLES_PASSWORD')),
  read: ({ body }) => readCall(Buffer.from(body).toString('utf8')),
  async send({ chatId, text, key, files: [file] = [], replyTo, commit }, api, { me }) {
    if (!CHAT.test(chatId)) throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no chat of BlueBubbles.`)
    // Replies and much else need its private API; without it AppleScript sends.
    const method = me.private_api ? 'private-api' : 'apple-script'
    const common = { chatGuid: chatId, tempGuid: `svc-${key}`, method }
    if (file) {
      const { name, mediaType } = file
      const files = { field: 'attachment', name, mediaType, bytes: await file.bytes() }
      const isVoice = me.private_api && file.isVoice && measureSound(files.bytes)?.format === 'mp3'
      const upload = { fields: { ...common, name, ...(isVoice && { isAudioMessage: 'true' }) }, files }
      const { data } = await api.ask({ path: '/api/v1/message/attachment', upload, answer: sent, commit })
      return { messageId: data.guid }
    }
    const quoted = me.private_api && replyTo !== undefined ? { selectedMessageGuid: replyTo } : {}
    const json = { ...common, message: text, ...quoted }
    const { data } = await api.ask({ path: '/api/v1/message/text', json, answer: sent, commit })
    return { messageId: data.guid, ...(data.dateCreated && { at: data.dateCreated }) }
  },
  fetch: ({ ref }, api, { address, maxBytes, signal }) => {
    const url = `${address}/api/v1/attachment/${encodeURIComponent(ref)}/download`
    return api.fetch(url, { origins: [new URL(address).origin], maxBytes, signal })
  },
  async typing(chatId, api, { me, signal }) {
    if (!me.private_api) return
    const path = `/api/v1/chat/${encodeURIComponent(chatId)}/typing`
    await api.ask({ path, method: 'POST', answer: z.unknown(), signal })
  },
}

/** Undefined if it is no call of the server. Its other events, tapbacks, and what was sent from this account need no answer. */
function readCall(body: string): readonly DescribedMessage[] | undefined {
  const read = call.safeParse(tryParseJson(body)?.value)
  if (!read.success) return undefined
  if (read.data.type !== 'new-message') return []
  const known = message.safeParse(read.data.data)
  if (!known.success) return undefined
  const { guid, text, isFromMe, handle, chats, attachments, dateCreated, ...rest } = known.data
  const [{ guid: chatId } = { guid: '' }] = chats
  if (isFromMe || !handle || rest.associatedMessageGuid) return []
  const files = (attachments ?? []).map((each) => ({
    ...{ ref: each.guid, name: each.transferName ?? each.guid },
    ...(each.mimeType && { mediaType: each.mimeType }),
    ...(typeof each.totalBytes === 'number' && { size: each.totalBytes }),
    ...(rest.isAudioMessage && { isVoice: true as const }),
  }))
  return [
    {
      ...{ chatId, userId: handle.address, messageId: guid, text: (text ?? '').replace(FILE_SIGN, '').trim() },
      ...(chatId.includes(';+;') && { chatKind: 'group' as const }),
      ...(files.length > 0 && { files }),
      ...(rest.threadOriginatorGuid && { quote: { messageId: rest.threadOriginatorGuid } }),
      ...(dateCreated && { at: dateCreated }),
    },
  ]
}

function readRefusal({ json }: PlatformAnswer): PlatformRefusal {
  const { message: word, error } = failure.safeParse(json).data ?? {}
  const reason = [word, error?.message ?? error?.error].filter(Boolean).join(': ')
  return reason === '' ? {} : { reason }
}
