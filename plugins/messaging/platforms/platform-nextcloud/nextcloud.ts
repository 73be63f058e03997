/** A bot of Nextcloud Talk, after nextcloud-talk.readthedocs.io/en/latest/bots. */
import { createHash, createHmac } from 'node:crypto'
import { tryParseJson } from 'svc/sdk'
import { matchesSignature } from 'svc/sdk/kit/net'
import type { DescribedMessage, PlatformContext, WebhookPlatform, WebhookSettings } from 'svc/sdk/kit/platform'
import { deliveryRefused, type ReactionState } from 'svc/sdk/platform'
import { z } from 'zod'
import { markup } from './markup.ts'

/** The own keys of the block. */
export interface NextcloudSettings extends WebhookSettings {
  readonly bot_name: string
  readonly direct_chats: readonly string[]
}

const capabilities = z.object({
  ocs: z.object({
    data: z.object({
      capabilities: z.object({ spreed: z.object({ features: z.array(z.string()) }) }),
    }),
  }),
})
const event = z.object({
  type: z.string(),
  actor: z.object({ type: z.string(), id: z.string(), name: z.string().optional() }),
  object: z.object({
    type: z.string(),
    id: z.union([z.string(), z.number()]).transform(String),
    name: z.string().optional(),
    content: z.string().optional(),
    inReplyTo: z.object({ object: z.object({ id: z.union([z.string(), z.number()]).transform(String) }) }).optional(),
  }),
  target: z.object({ id: z.string() }),
})
const content = z.object({
  message: z.string(),
  parameters: z
    .union([
      z.record(z.string(), z.object({ type: z.string().optional(), id: z.string().optional(), name: z.string() })),
      // PHP writes an empty map as a list.
      z.array(z.unknown()).transform(() => ({})),
    ])
    .optional(),
})

const EMOJI: Readonly<Record<ReactionState, string>> = { working: '👀', done: '✅', failed: '❌' }
const TOKEN = /^[a-z0-9]{4,64}$/
/** Before the id of a person; guests and bots have other words there. */
const USER = /^users\//

export const nextcloud: WebhookPlatform<object, NextcloudSettings> = {
  name: 'nextcloud',
  label: 'Nextcloud Talk',
  access: {
    users: 'NEXTCLOUD_ALLOWED_USERS',
    chats: 'NEXTCLOUD_ALLOWED_CHATS',
    everyone: 'NEXTCLOUD_ALLOW_ALL_USERS',
    home: 'NEXTCLOUD_HOME_CHANNEL',
  },
  limits: {
    maxTextLength: 32_000,
    measure: 'codepoints',
    idempotency: 'none',
    markup,
    rate: { all: { count: 5, perMs: 1000 } },
  },
  baseUrl: '',
  addressFrom: 'NEXTCLOUD_URL',
  port: 8651,
  path: '/webhooks/nextcloud',
  needs: ['NEXTCLOUD_BOT_SECRET'],
  api: () => ({ headers: () => ({ 'ocs-apirequest': 'true' }) }),
  /** A bot has no request for who it is: that the server has bots is all that can be asked. */
  async identify(api) {
    const { ocs } = await api.ask({ path: '/ocs/v2.php/cloud/capabilities', answer: capabilities })
    if (ocs.data.capabilities.spreed.features.includes('bots-v1')) return {}
    throw deliveryRefused('PLATFORM_REFUSED', 'This Nextcloud has no bots in Talk: it needs Talk 17.1 or newer.')
  },
  isGenuine: ({ body, headers }, { secret }) =>
    matchesSignature({
      ...{ key: secret('NEXTCLOUD_BOT_SECRET'), parts: [headers['x-nextcloud-talk-random'] ?? '', body] },
      given: headers['x-nextcloud-talk-signature'] ?? '',
    }),
  read({ body }, _me, { settings }) {
    const read = event.safeParse(tryParseJson(Buffer.from(body).toString('utf8'))?.value)
    return read.success ? readEvent(read.data, settings) : undefined
  },
  async send({ chatId, text, key, replyTo, commit }, api, context) {
    const path = `${botPath(chatId)}/message`
    // Talk does not tell the id of a message; this one is stored with it.
    const referenceId = createHash('sha256').update(key).digest('hex')
    const quoted = replyTo !== undefined && /^\d+$/.test(replyTo) ? { replyTo: Number(replyTo) } : {}
    const json = { message: text, referenceId, ...quoted }
    await api.ask({ path, json, headers: sign(text, context), answer: z.unknown(), commit })
    return { messageId: referenceId }
  },
  async react({ chatId, messageId, state, before }, api, context) {
    const path = `${botPath(chatId)}/reaction/${encodeURIComponent(messageId)}`
    const ask = async (mark: ReactionState, method: 'POST' | 'DELETE') => {
      const reaction = EMOJI[mark]
      await api.ask({ path, method, json: { reaction }, headers: sign(reaction, context), answer: z.unknown() })
    }
    if (state) await ask(state, 'POST')
    if (before && before !== state) await ask(before, 'DELETE')
  },
}

function botPath(chatId: string): string {
  if (TOKEN.test(chatId)) return `/ocs/v2.php/apps/spreed/api/v1/bot/${chatId}`
  throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no token of a conversation of Nextcloud Talk.`)
}

/** The text is signed, not the body around it. */
function sign(text: string, { secret, random }: PlatformContext<NextcloudSettings>): Readonly<Record<string, string>> {
  const nonce = random.hex(32)
  const sum = createHmac('sha256', secret('NEXTCLOUD_BOT_SECRET')).update(nonce).update(text)
  return { 'x-nextcloud-talk-bot-random': nonce, 'x-nextcloud-talk-bot-signature': sum.digest('hex') }
}

/** Joined conversations, reactions and messages of the system need no answer. */
function readEvent(
  { type, actor, object, target }: z.infer<typeof event>,
  { bot_name: name, direct_chats: direct }: NextcloudSettings,
): readonly DescribedMessage[] {
  if (type !== 'Create' || object.type !== 'Note' || object.name !== 'message') return []
  const read = content.safeParse(tryParseJson(object.content ?? '')?.value)
  if (!read.success) return []
  const { text, isMention } = withoutMention(fillPlaceholders(read.data), name)
  const isDirect = direct.includes('*') || direct.includes(target.id)
  return [
    {
      ...{ chatId: target.id, userId: actor.id.replace(USER, ''), messageId: object.id, text },
      ...(!isDirect && { chatKind: 'group' as const }),
      ...(actor.name !== undefined && { userName: actor.name }),
      ...(actor.type !== 'Person' && { isBot: true }),
      ...(isMention && { isMention }),
      ...(object.inReplyTo && { quote: { messageId: object.inReplyTo.object.id } }),
    },
  ]
}

/** People, calls and files stand in the text as `{mention-user1}`. */
function fillPlaceholders({ message, parameters = {} }: z.infer<typeof content>): string {
  return message.replace(/\{([\w-]+)\}/g, (whole, key: string) => {
    const found = parameters[key as keyof typeof parameters] as { type?: string; name: string } | undefined
    if (!found) return whole
    return found.type === 'user' || found.type === 'call' || found.type === 'guest' ? `@${found.name}` : found.name
  })
}

/** The name of the bot is how it is addressed, and no part of what was said. */
function withoutMention(text: string, name: string): { readonly text: string; readonly isMention: boolean } {
  const pattern = new RegExp(`(?<![\\w@.])@${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'iu')
  return pattern.test(text) ? { text: text.replace(pattern, '').trim(), isMention: true } : { text, isMention: false }
}
