/** Zulip as a platform, after its REST API (zulip.com/api/rest). */
import type {
  DescribedMessage,
  DescribedSettings,
  PlatformAnswer,
  PlatformRefusal,
  StreamBatch,
  StreamPlatform,
} from 'svc/sdk/kit/platform'
import { deliveryBusy, deliveryRefused, type ReactionState } from 'svc/sdk/platform'
import { z } from 'zod'
import { Account } from './account.ts'
import { parseChat } from './chats.ts'
import { findMessage, MAX_LENGTH, sendMessage } from './delivery.ts'
import { isOwn, toInbound } from './inbound.ts'
import { markup } from './markup.ts'
import { Position } from './position.ts'
import { type QueueEvent, readAfter, readNewest, readQueue, registerQueue } from './queue.ts'
import { fetchFile } from './uploads.ts'

/** The own keys of the block. */
export interface ZulipSettings extends DescribedSettings {
  readonly topic: string
}

/** In Unicode characters. */
export const MAX_TOPIC_LENGTH = 60

const identity = z.object({ user_id: z.number(), full_name: z.string() })
const failure = z.object({
  msg: z.string().default(''),
  code: z.string().optional(),
  'retry-after': z.number().optional(),
})
const done = z.object({ result: z.literal('success') })
/** A mark that is there already, or is gone already, is as it should be. */
const marked = done.or(z.object({ code: z.enum(['REACTION_ALREADY_EXISTS', 'REACTION_DOES_NOT_EXIST']) }))

/** 👀, ✅ and ❌ by their names there. */
const EMOJI: Readonly<Record<ReactionState, string>> = { working: 'eyes', done: 'check', failed: 'cross_mark' }
/** Servers before 5.0 say so with the status 403. */
const ACCOUNT_CODES = ['UNAUTHORIZED', 'INVALID_API_KEY', 'USER_DEACTIVATED', 'REALM_DEACTIVATED']
const NEEDS = ['ZULIP_EMAIL', 'ZULIP_API_KEY'] as const

export const zulip: StreamPlatform<Account, ZulipSettings> = {
  name: 'zulip',
  label: 'Zulip',
  access: { users: 'ZULIP_ALLOWED_USERS', everyone: 'ZULIP_ALLOW_ALL_USERS', home: 'ZULIP_HOME_CHANNEL' },
  // 200 requests a minute, those for events included: zulip.com/api/rest-error-handling. Files: zulip.com/api/upload-file.
  limits: {
    ...{ maxTextLength: MAX_LENGTH, measure: 'codepoints', idempotency: 'lookup', markup, toolProgress: 'new' },
    ...{ files: 25 * 2 ** 20, album: 10, caption: 6000, editEveryMs: 1500 },
    rate: { all: { count: 120, perMs: 60_000 } },
  },
  baseUrl: '',
  addressFrom: 'ZULIP_SITE',
  needs: NEEDS,
  accountFrom: ['ZULIP_EMAIL'],
  api: ({ secret }) => ({
    headers: () => {
      const account = Buffer.from(`${secret('ZULIP_EMAIL')}:${secret('ZULIP_API_KEY')}`).toString('base64')
      return { authorization: `Basic ${account}`, 'user-agent': 'svc' }
    },
    refusal: readRefusal,
  }),
  async identify(api, { address, secret }) {
    const missing = [...(address ? [] : ['ZULIP_SITE']), ...NEEDS.filter((name) => !secret(name))]
    if (missing.length > 0)
      throw deliveryRefused(
        'PLATFORM_UNAUTHORIZED',
        `Zulip needs the address of the organization, and a bot (Settings, Bots): ${missing.map((name) => `svc config set ${name} <value>`).join(', ')}.`,
      )
    const { user_id: id, full_name: name } = await api.ask({ path: '/api/v1/users/me', answer: identity })
    return new Account({ id, name })
  },
  positionOf: ({ id }, { address }) => `${address} ${id}`,
  async *listen(api, { me: account, address, clock, signal, position: stored }) {
    const position = new Position(stored)
    const newest = await readNewest(api, signal)
    account.saw(newest)
    // What was there before the first connection is not answered.
    if (position.since === undefined) position.start(newest)
    const take = async (events: readonly QueueEvent[]): Promise<StreamBatch> => {
      const messages: DescribedMessage[] = []
      for (const { message, key } of events) {
        if (!message || position.has(message.id)) continue
        position.add(message.id, message.timestamp)
        account.saw(message.id)
        const isOurs = isOwn(message, account)
        if (isOurs && key !== undefined) account.keep(key, { messageId: String(message.id) })
        const isBot = !isOurs && (await account.isProgram(message.sender_id, api, signal))
        const inbound = toInbound(message, { account, address, isBot })
        if (inbound) messages.push(inbound)
      }
      return { messages, position: position.toString() }
    }
    for (;;) {
      const queue = await registerQueue(api, signal)
      account.queueId = queue.queue_id
      // What is written from here on is in the queue, too.
      for await (const missed of readAfter(api, position.since ?? 0, { signal }))
        yield take(missed.map((message) => ({ message })))
      let isRead = false
      for await (const events of readQueue(api, queue, { clock, signal })) {
        isRead = true
        yield take(events)
      }
      if (!isRead)
        throw deliveryBusy('PLATFORM_UNREACHABLE', 'Zulip does not know the queue of events that it has just made.')
    }
  },
  send: (message, api, { me: account, settings }) => sendMessage(message, api, { account, topic: settings.topic }),
  find: (message, api, { me: account }) => findMessage(message, api, { account }),
  async edit({ messageId, text: content }, api) {
    const form = new URLSearchParams({ content })
    await api.ask({ path: messagePath(messageId), method: 'PATCH', form, answer: done })
  },
  async react({ messageId, state, before }, api) {
    const path = `${messagePath(messageId)}/reactions`
    const ask = (mark: ReactionState, method: 'POST' | 'DELETE') => {
      const form = new URLSearchParams({ emoji_name: EMOJI[mark] })
      return api.ask({ path, method, form, accept: [400], answer: marked })
    }
    if (state) await ask(state, 'POST')
    if (before && before !== state) await ask(before, 'DELETE')
  },
  fetch: fetchFile,
  async typing(chatId, api, { threadId, settings, signal }) {
    const { type, to } = parseChat(chatId)
    const place =
      type === 'stream' ? { stream_id: String(to), topic: threadId ?? settings.topic } : { to: JSON.stringify(to) }
    const form = new URLSearchParams({ op: 'start', type, ...place })
    await api.ask({ path: '/api/v1/typing', form, signal, answer: done })
  },
}

function messagePath(messageId: string): string {
  if (/^\d{1,15}$/.test(messageId)) return `/api/v1/messages/${messageId}`
  throw deliveryRefused('PLATFORM_REFUSED', `"${messageId}" is no id of a message of Zulip.`)
}

function readRefusal({ json }: PlatformAnswer): PlatformRefusal {
  const { msg, code = '', 'retry-after': wait } = failure.safeParse(json).data ?? { msg: '' }
  const reason = code === '' || code === 'BAD_REQUEST' ? msg : `${msg} (${code})`
  return {
    ...(msg && { reason }),
    ...(ACCOUNT_CODES.includes(code) && { kind: 'logged-out' }),
    ...(wait !== undefined && { waitMs: Math.ceil(wait * 1000) }),
  }
}
