/** A bot of QQ, whose events come by webhook or over its gateway, after bot.q.qq.com/wiki/develop/api-v2. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { isRecent, matchesEd25519 } from 'svc/sdk/kit/net'
import type {
  DescribedMessage,
  PlatformAnswer,
  PlatformDescription,
  PlatformRefusal,
  StreamPlatform,
  WebhookPlatform,
  WebhookSettings,
} from 'svc/sdk/kit/platform'
import { setBounded } from 'svc/sdk/kit/state'
import { deliveryRefused, type OutboundMessage } from 'svc/sdk/platform'
import { jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { readCheck, readEvents } from './events.ts'
import { listen } from './gateway.ts'

/** The own keys of the block. */
export interface QqSettings extends WebhookSettings {
  readonly token_url: string
  readonly events: 'webhook' | 'gateway'
}

interface Me {
  readonly id: string
  /** The newest message of each chat: answers must name the one that they answer. */
  readonly newest: Map<string, string>
}

const token = z
  .object({ access_token: z.string().min(1), expires_in: z.coerce.number() })
  .transform((answer) => ({ token: answer.access_token, lifetimeMs: answer.expires_in * 1000 }))
const user = z.object({ id: z.string().min(1) })
const sent = z.union([
  z.object({ id: z.string().min(1) }),
  // The same answer was taken before.
  z.object({ code: z.literal(40054005) }).transform(() => ({ id: '' })),
])
const failure = z.object({ code: z.number(), message: z.string().optional() })

/** bot.q.qq.com/wiki/develop/api-v2/dev-prepare/error-trace/openapi.html */
const EXPIRED = [11241, 11242, 11243, 11244]
const BUSY = [22009, 304045, 304046, 304047, 304048, 304049]
const TAKEN_BEFORE = 40054005
const WRONG_SECRET = [100007, 100016]
const WAIT_MS = 1000
const MAX_CHATS = 10_000
/** The opcode with which an event is acknowledged. */
const ACKNOWLEDGED = 12
/** Of a private key (RFC 8410), before its seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const common: PlatformDescription<Me, QqSettings> = {
  name: 'qq',
  label: 'QQ',
  hint: 'Answers are QQ messages: write one or two short plain paragraphs, and no web addresses.',
  access: { users: 'QQ_ALLOWED_USERS', everyone: 'QQ_ALLOW_ALL_USERS', home: 'QQ_HOME_CHANNEL' },
  limits: {
    maxTextLength: 2000,
    // QQ knows a repeated answer by `msg_seq` only as long as it names the same question, which a restart forgets.
    idempotency: 'none',
    rate: { chat: { count: 5, perMs: 10_000 } },
  },
  baseUrl: 'https://api.sgroup.qq.com',
  needs: ['QQ_APP_ID', 'QQ_CLIENT_SECRET'],
  api: ({ secret, settings }) => ({
    token: () => ({
      baseUrl: settings.token_url,
      path: '/app/getAppAccessToken',
      json: { appId: secret('QQ_APP_ID'), clientSecret: secret('QQ_CLIENT_SECRET') },
      answer: token,
    }),
    headers: (value) => ({ authorization: `QQBot ${value}`, 'x-union-appid': secret('QQ_APP_ID') }),
    isRefusal: ({ json }) => {
      const { code = 0 } = failure.safeParse(json).data ?? {}
      return code !== 0 && code !== TAKEN_BEFORE
    },
    refusal: readRefusal,
  }),
  async identify(api) {
    const { id } = await api.ask({ path: '/users/@me', answer: user })
    return { id, newest: new Map() }
  },
  async send(message, api, { me }) {
    const { chatId, text, key, commit } = message
    const [, kind, id] = /^(user|group):([\w-]{1,64})$/.exec(chatId) ?? []
    if (!kind || !id) throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is neither user:… nor group:… of QQ.`)
    const path = `/v2/${kind}s/${id}/messages`
    const json = { content: text, msg_type: 0, ...answered(message, me), msg_seq: createNumber(key) }
    const { id: messageId } = await api.ask({ path, json, commit, accept: [400], answer: sent })
    return { messageId: messageId || `answer-${key}` }
  },
  /** Files of messages are on servers of Tencent, at addresses that need no token. */
  fetch({ ref }, api, { address, maxBytes, signal }) {
    const origins = [new URL(address).origin, isTencentHost(ref) ? new URL(ref).origin : 'https://*.qq.com']
    return api.fetch(ref, { origins, maxBytes, signal, isPublic: true })
  },
}

export const qq: WebhookPlatform<Me, QqSettings> = {
  ...common,
  port: 8649,
  path: '/webhooks/qq',
  isGenuine({ headers, body }, { secret, clock }) {
    const { 'x-signature-timestamp': time = '', 'x-signature-ed25519': given = '' } = headers
    const privateKey = createKey(secret('QQ_CLIENT_SECRET'))
    if (!privateKey) return false
    const key = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)
    return matchesEd25519({ key, parts: [time, body], given }) && isRecent(time, clock.now())
  },
  reply({ body }, { secret }) {
    const check = readCheck(body)
    const key = createKey(secret('QQ_CLIENT_SECRET'))
    if (!check || !key) return undefined
    const signature = sign(null, Buffer.from(check.event_ts + check.plain_token), key).toString('hex')
    return jsonResponse({ plain_token: check.plain_token, signature })
  },
  read: ({ body }, me) => take(readEvents(body), me),
  taken: jsonResponse({ op: ACKNOWLEDGED }),
}

/** Events come over a connection that svc opens. */
export const qqGateway: StreamPlatform<Me, QqSettings> = {
  ...common,
  positionOf: (_, { secret, address }) => `${address} ${secret('QQ_APP_ID')}`,
  listen: (api, options) =>
    listen({
      ...{ api, clock: options.clock, signal: options.signal, address: options.address, position: options.position },
      token: async () => `QQBot ${await api.token()}`,
      read: (event) => take(readEvents(Buffer.from(event)), options.me) ?? [],
    }),
}

function isTencentHost(address: string): boolean {
  return URL.canParse(address) && /^https:\/\/(?:[\w-]+\.)+(?:qq\.com(?:\.cn)?|qpic\.cn)$/.test(new URL(address).origin)
}

function take(messages: readonly DescribedMessage[] | undefined, { newest }: Me) {
  for (const { chatId, messageId } of messages ?? []) setBounded(newest, chatId, messageId, MAX_CHATS)
  return messages
}

/** A message that answers none counts against a small number a month. */
function answered({ chatId, replyTo }: OutboundMessage, { newest }: Me): object {
  const question = replyTo ?? newest.get(chatId)
  return question === undefined ? {} : { msg_id: question }
}

/** QQ takes one answer with a number to a message. The same key of the outbox has the same; 31 bits keep others apart. */
function createNumber(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE() >>> 1
}

/** The secret, repeated, is the seed of the key with which both sides sign. */
function createKey(secret: string): KeyObject | undefined {
  if (secret === '') return undefined
  const seed = Buffer.from(secret.repeat(Math.ceil(32 / secret.length))).subarray(0, 32)
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
}

function readRefusal({ status, json }: PlatformAnswer): PlatformRefusal {
  const { code, message = '' } = failure.safeParse(json).data ?? {}
  const said = code === undefined ? {} : { reason: `${message} (${code})` }
  if (status === 401 || (code !== undefined && EXPIRED.includes(code))) return { kind: 'expired', ...said }
  if (code === undefined) return said
  if (WRONG_SECRET.includes(code)) return { kind: 'logged-out', ...said }
  if (BUSY.includes(code)) return { kind: 'busy', ...said, waitMs: WAIT_MS }
  return { ...said, ...(status < 300 && { kind: 'refused' }) }
}
