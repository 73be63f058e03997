/** A chatbot of Synology Chat, after kb.synology.com/en-global/DSM/help/Chat/chat_integration. */
import { tryParseJson } from 'svc/sdk'
import { isSameSecret } from 'svc/sdk/kit/net'
import type { DescribedMessage, PlatformAnswer, PlatformRefusal, WebhookPlatform } from 'svc/sdk/kit/platform'
import { deliveryRefused, type MessageButton } from 'svc/sdk/platform'
import { z } from 'zod'

const id = z.union([z.string(), z.number()]).transform(String)
const done = z.object({ success: z.literal(true), data: z.unknown().optional() })
const failure = z.object({
  success: z.literal(false),
  error: z.object({ code: z.number(), errors: z.unknown().optional() }),
})
const posts = z.object({ succ: z.object({ user_id_post_map: z.record(z.string(), id) }) })
const said = z.object({ user_id: z.string().regex(/^\d+$/), post_id: z.string().min(1), text: z.string() })
const pressed = z.object({
  token: z.string(),
  post_id: id,
  user: z.object({ user_id: id }),
  actions: z.array(z.object({ value: z.string(), text: z.string().optional() })).min(1),
})

/** The chatbot posts too fast. */
const TOO_FAST = 411
/** kb.synology.com/DSM/help/Chat: the token of the chatbot is not known. */
const NO_TOKEN = [404, 407]

export const synology: WebhookPlatform<object> = {
  name: 'synology',
  label: 'Synology Chat',
  hint: 'Answers are shown as they are written: write short plain paragraphs.',
  access: {
    users: 'SYNOLOGY_CHAT_ALLOWED_USERS',
    everyone: 'SYNOLOGY_CHAT_ALLOW_ALL_USERS',
    home: 'SYNOLOGY_CHAT_HOME_CHANNEL',
  },
  limits: { maxTextLength: 2000, idempotency: 'none', buttons: 5, rate: { all: { count: 1, perMs: 600 } } },
  baseUrl: '',
  addressFrom: 'SYNOLOGY_CHAT_URL',
  port: 8652,
  path: '/webhooks/synology',
  needs: ['SYNOLOGY_CHAT_TOKEN'],
  api: ({ secret }) => ({
    query: () => ({ token: JSON.stringify(secret('SYNOLOGY_CHAT_TOKEN')) }),
    isRefusal: ({ json }) => failure.safeParse(json).success,
    refusal: readRefusal,
  }),
  /** Who may be written to; the request that shows whether the token is known. */
  identify: (api) => api.ask({ path: createPath('user_list'), answer: done }),
  isGenuine: ({ body }, { secret }) => isSameSecret(readToken(body), secret('SYNOLOGY_CHAT_TOKEN')),
  read: ({ body }) => readCall(body),
  async send({ chatId, text, buttons, key, commit }, api) {
    if (!/^\d{1,15}$/.test(chatId))
      throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no number of a user of Synology Chat.`)
    const attachments = buttons?.length ? [createAttachment(key, buttons)] : undefined
    const payload = { text, user_ids: [Number(chatId)], ...(attachments && { attachments }) }
    const form = new URLSearchParams({ payload: JSON.stringify(payload) })
    const { data } = await api.ask({ path: createPath('chatbot'), form, answer: done, commit })
    // Older versions do not tell the id of the post.
    const post = posts.safeParse(data).data?.succ.user_id_post_map[chatId]
    return { messageId: post ?? key }
  },
}

function createPath(method: string): string {
  return `/webapi/entry.cgi?api=SYNO.Chat.External&method=${method}&version=2`
}

function createAttachment(key: string, buttons: readonly MessageButton[]): object {
  const actions = buttons.map(({ value, label, style }) => {
    const color = style === 'danger' ? 'red' : style === 'primary' ? 'green' : 'grey'
    return { type: 'button', name: 'choice', value, text: label, style: color }
  })
  return { callback_id: key, actions }
}

function readForm(body: Uint8Array): URLSearchParams {
  return new URLSearchParams(Buffer.from(body).toString('utf8'))
}

/** A press is a form with JSON in it. */
function readPress(form: URLSearchParams): z.infer<typeof pressed> | undefined {
  return pressed.safeParse(tryParseJson(form.get('payload') ?? '')?.value).data
}

function readToken(body: Uint8Array): string {
  const form = readForm(body)
  return readPress(form)?.token ?? form.get('token') ?? ''
}

function readCall(body: Uint8Array): readonly DescribedMessage[] | undefined {
  const form = readForm(body)
  const press = readPress(form)
  if (press) {
    const { user, post_id: post, actions } = press
    const [{ value, text = value } = { value: '' }] = actions
    // A post has one answer of each person.
    const messageId = `${post}:${user.user_id}:${value}`
    return [{ chatId: user.user_id, userId: user.user_id, messageId, text, press: value }]
  }
  const read = said.safeParse(Object.fromEntries(form))
  if (!read.success) return undefined
  const { user_id: userId, post_id: messageId, text } = read.data
  const userName = form.get('username') ?? undefined
  return [{ chatId: userId, userId, messageId, text, ...(userName !== undefined && { userName }) }]
}

function readRefusal({ status, json }: PlatformAnswer): PlatformRefusal {
  const code = failure.safeParse(json).data?.error.code
  if (code === undefined) return status >= 200 && status < 300 ? { kind: 'refused' } : {}
  if (code === TOO_FAST) return { kind: 'busy', reason: 'the chatbot posts too fast', waitMs: 1000 }
  const kind = NO_TOKEN.includes(code) ? 'logged-out' : 'refused'
  return { kind, reason: `error ${code}` }
}
