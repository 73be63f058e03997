/** A bot of Viber, after developers.viber.com/docs/api/rest-bot-api. */
import { tryParseJson } from 'svc/sdk'
import { matchesSignature } from 'svc/sdk/kit/net'
import type {
  DescribedMessage,
  PlatformAnswer,
  PlatformRefusal,
  WebhookPlatform,
  WebhookSettings,
} from 'svc/sdk/kit/platform'
import { deliveryRefused, type InboundFile, type MessageButton } from 'svc/sdk/platform'
import { z } from 'zod'

/** The own keys of the block. */
export interface ViberSettings extends WebhookSettings {
  readonly bot_name: string
}

const status = z.object({ status: z.number(), status_message: z.string().optional() })
const me = z.object({ id: z.string().min(1), uri: z.string().optional() })
const sent = z.object({ message_token: z.union([z.number(), z.string()]).transform(String) })
const call = z.object({
  event: z.string(),
  timestamp: z.number().optional(),
  sender: z.object({ id: z.string(), name: z.string().optional() }).optional(),
  message: z
    .object({
      type: z.string(),
      text: z.string().optional(),
      media: z.string().optional(),
      file_name: z.string().optional(),
      size: z.number().optional(),
    })
    .optional(),
})

/** Begins the text of a button, which comes back as a message. */
const PRESS = 'svc-press:'
const TOO_MANY = 12
/** invalidAuthToken, publicAccountNotFound, publicAccountSuspended. */
const NO_ACCOUNT = [2, 8, 9]
const ENDINGS: Readonly<Record<string, readonly [ending: string, mediaType: string]>> = {
  picture: ['jpg', 'image/jpeg'],
  video: ['mp4', 'video/mp4'],
}

export const viber: WebhookPlatform<z.infer<typeof me>, ViberSettings> = {
  name: 'viber',
  label: 'Viber',
  hint: 'Answers are Viber messages: write short plain paragraphs.',
  access: { users: 'VIBER_ALLOWED_USERS', everyone: 'VIBER_ALLOW_ALL_USERS', home: 'VIBER_HOME_CHANNEL' },
  limits: {
    maxTextLength: 7000,
    idempotency: 'none',
    buttons: 24,
    rate: { all: { count: 20, perMs: 1000 } },
  },
  baseUrl: 'https://chatapi.viber.com',
  port: 8653,
  path: '/webhooks/viber',
  needs: ['VIBER_AUTH_TOKEN'],
  api: ({ secret }) => ({
    headers: () => ({ 'x-viber-auth-token': secret('VIBER_AUTH_TOKEN') }),
    isRefusal: ({ json }) => (status.safeParse(json).data?.status ?? 0) !== 0,
    refusal: readRefusal,
  }),
  identify: (api) => api.ask({ path: '/pa/get_account_info', json: {}, answer: me }),
  // developers.viber.com/docs/tools/deep-links
  contact: ({ me: { uri } }) => (uri ? `viber://pa?chatURI=${encodeURIComponent(uri)}` : undefined),
  isGenuine: ({ body, headers }, { secret }) =>
    matchesSignature({
      ...{ key: secret('VIBER_AUTH_TOKEN'), parts: [body], given: headers['x-viber-content-signature'] ?? '' },
    }),
  read: ({ body }) => readCall(Buffer.from(body).toString('utf8')),
  async send({ chatId, text, buttons, commit }, api, { settings }) {
    if (!/^[A-Za-z0-9+/]{8,64}={0,2}$/.test(chatId))
      throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no id of a user of Viber.`)
    const json = {
      ...{ receiver: chatId, type: 'text', text, sender: { name: settings.bot_name } },
      ...(buttons?.length && { min_api_version: 7, keyboard: createKeyboard(buttons) }),
    }
    const { message_token: messageId } = await api.ask({ path: '/pa/send_message', json, answer: sent, commit })
    return { messageId }
  },
  /** Media is on servers of Viber, at addresses that need no token. */
  fetch({ ref }, api, { address, maxBytes, signal }) {
    const own = [new URL(address).origin, ...(isViberHost(ref) ? [new URL(ref).origin] : ['https://*.viber.com'])]
    return api.fetch(ref, { origins: own, maxBytes, signal, isPublic: true })
  },
}

function isViberHost(address: string): boolean {
  return URL.canParse(address) && /^https:\/\/(?:[\w-]+\.)*viber\.com$/.test(new URL(address).origin)
}

function createKeyboard(buttons: readonly MessageButton[]): object {
  return {
    ...{ Type: 'keyboard', DefaultHeight: false },
    Buttons: buttons.map(({ value, label }) => ({
      ...{
        Columns: 6,
        Rows: 1,
        ActionType: 'reply',
        ActionBody: `${PRESS}${value}\n${label}`,
        Text: label,
        Silent: true,
      },
    })),
  }
}

/**
 * Undefined if it is no call of Viber. Other events, such as `delivered`, need no answer. The token of a message is a number that is too
 * long for JavaScript, and is read from the text.
 */
function readCall(body: string): readonly DescribedMessage[] | undefined {
  const read = call.safeParse(tryParseJson(body)?.value)
  if (!read.success) return undefined
  const { event, timestamp, sender, message } = read.data
  if (event !== 'message' || !sender || !message) return []
  const [, messageId] = /"message_token"\s*:\s*"?(\d+)/.exec(body) ?? []
  if (messageId === undefined) return undefined
  const origin = {
    ...{ chatId: sender.id, userId: sender.id, messageId },
    ...(sender.name !== undefined && { userName: sender.name }),
    ...(timestamp !== undefined && { at: timestamp }),
  }
  const file = readFile(message, messageId)
  const { text = '' } = message
  if (file) return [{ ...origin, text, files: [file] }]
  if (message.type !== 'text') return []
  if (!text.startsWith(PRESS)) return [{ ...origin, text }]
  const [press = '', label = press] = text.slice(PRESS.length).split('\n')
  return [{ ...origin, text: label, press }]
}

function readFile(message: NonNullable<z.infer<typeof call>['message']>, id: string): InboundFile | undefined {
  const { type, media, file_name: name, size } = message
  if (media === undefined) return undefined
  const known = size === undefined ? {} : { size }
  if (type === 'file') return { ref: media, name: name ?? `file-${id}`, ...known }
  const [ending, mediaType] = ENDINGS[type] ?? []
  if (ending === undefined || mediaType === undefined) return undefined
  return { ref: media, name: `${type}-${id}.${ending}`, mediaType, ...known }
}

function readRefusal({ json }: PlatformAnswer): PlatformRefusal {
  const read = status.safeParse(json).data
  if (!read) return {}
  const reason = read.status_message ?? `status ${read.status}`
  if (read.status === TOO_MANY) return { kind: 'busy', reason, waitMs: 1000 }
  return { kind: NO_ACCOUNT.includes(read.status) ? 'logged-out' : 'refused', reason }
}
