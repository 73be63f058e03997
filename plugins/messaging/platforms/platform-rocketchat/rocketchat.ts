/** Rocket.Chat as a platform: its realtime API tells what is written, answers leave by its REST API (developer.rocket.chat/apidocs). */
import type {
  DescribedMessage,
  PlatformAnswer,
  PlatformApi,
  PlatformRefusal,
  StreamBatch,
  StreamPlatform,
} from 'svc/sdk/kit/platform'
import { classifyDeliveryError, deliveryRefused, type ReactionState } from 'svc/sdk/platform'
import { z } from 'zod'
import { Account } from './account.ts'
import { checkRoomId, findMessage, sendMessage } from './delivery.ts'
import { readEvents } from './events.ts'
import { readMissed, readNewest } from './history.ts'
import { markup } from './markup.ts'
import { type ChatMessage, message, toInbound } from './messages.ts'
import { Position } from './position.ts'

const identity = z.object({ _id: z.string(), username: z.string() })
const done = z.object({ success: z.literal(true) })
const oneMessage = z.object({ message })
const failure = z.object({ error: z.unknown().optional(), message: z.string().optional() })

const EMOJI: Readonly<Record<ReactionState, string>> = { working: 'eyes', done: 'white_check_mark', failed: 'x' }
const NEEDS = ['ROCKETCHAT_USER_ID', 'ROCKETCHAT_TOKEN'] as const

export const rocketchat: StreamPlatform<Account> = {
  name: 'rocketchat',
  label: 'Rocket.Chat',
  access: {
    users: 'ROCKETCHAT_ALLOWED_USERS',
    everyone: 'ROCKETCHAT_ALLOW_ALL_USERS',
    home: 'ROCKETCHAT_HOME_CHANNEL',
  },
  // What servers take unless they are configured otherwise: docs.rocket.chat/docs/message and docs/file-upload.
  limits: {
    ...{ maxTextLength: 5000, measure: 'utf16', idempotency: 'lookup', markup, toolProgress: 'new', threadTalks: true },
    ...{ files: 100 * 2 ** 20, editEveryMs: 1500 },
    rate: { all: { count: 10, perMs: 10_000 } },
  },
  baseUrl: '',
  addressFrom: 'ROCKETCHAT_URL',
  needs: NEEDS,
  accountFrom: ['ROCKETCHAT_USER_ID'],
  api: ({ secret }) => ({
    headers: () => ({ 'x-user-id': secret('ROCKETCHAT_USER_ID'), 'x-auth-token': secret('ROCKETCHAT_TOKEN') }),
    refusal: readRefusal,
  }),
  async identify(api, { address, secret }) {
    const missing = [...(address ? [] : ['ROCKETCHAT_URL']), ...NEEDS.filter((name) => !secret(name))]
    if (missing.length > 0)
      throw deliveryRefused(
        'PLATFORM_UNAUTHORIZED',
        `Rocket.Chat needs the address of the server and a personal access token (My Account, Personal Access Tokens): ${missing.map((name) => `svc config set ${name} <value>`).join(', ')}.`,
      )
    const { _id, username } = await api.ask({ path: '/api/v1/me', answer: identity })
    return new Account(_id, username)
  },
  positionOf: ({ id }, { address }) => `${address} ${id}`,
  async *listen(api, { me: account, address, clock, secret, signal, position: stored }) {
    const position = new Position(stored)
    // What was there before the first connection is not answered.
    if (position.since === undefined) position.start(await readNewest(account, api, signal))
    const threads = new Map<string, boolean>()
    const take = async (all: readonly ChatMessage[]): Promise<StreamBatch> => {
      const messages: DescribedMessage[] = []
      for (const each of all) {
        // A change of a message is told with its first time.
        if (position.has(each._id, each.ts)) continue
        position.add(each._id, each.ts)
        if (each.u._id === account.id) continue
        const room = await account.findRoom(each.rid, api, signal)
        const isBot = await account.isProgram(each.u._id, api, signal)
        const isOwnThread = room.t !== 'd' && (await hasBegun(each.tmid, { account, api, threads, signal }))
        const inbound = toInbound(each, { account, room, isBot, isOwnThread })
        if (inbound) messages.push(inbound)
      }
      return { messages, position: position.toString() }
    }
    const token = secret('ROCKETCHAT_TOKEN')
    const opened = (call: Account['call']) => {
      account.call = call
    }
    let isReady = false
    for await (const event of readEvents({ address, token, clock, signal, opened })) {
      if (event === 'ready') {
        isReady = true
        // What is written from here on comes over the socket, too.
        yield take(await readMissed(account, api, { since: position.since ?? 0, signal }))
      } else if (isReady) yield event ? take([event]) : { messages: [] }
    }
  },
  send: (outbound, api) => sendMessage(outbound, api),
  find: (outbound, api, { me }) => findMessage(outbound, api, me),
  async edit({ chatId, messageId, text }, api) {
    const json = { roomId: checkRoomId(chatId), msgId: messageId, text, previewUrls: [] }
    await api.ask({ path: '/api/v1/chat.update', json, answer: done })
  },
  async react({ messageId, state, before }, api) {
    const ask = (mark: ReactionState, shouldReact: boolean) => {
      const json = { messageId, emoji: EMOJI[mark], shouldReact }
      return api.ask({ path: '/api/v1/chat.react', json, answer: done })
    }
    if (state) await ask(state, true)
    if (before && before !== state) await ask(before, false)
  },
  fetch: ({ ref }, api, { address, maxBytes, signal }) =>
    api.fetch(`${address}${ref}`, { origins: [new URL(address).origin], maxBytes, signal }),
  async typing(chatId, _api, { me, threadId }) {
    const more = threadId === undefined ? {} : { tmid: threadId }
    me.say('stream-notify-room', [`${checkRoomId(chatId)}/user-activity`, me.name, ['user-typing'], more])
  },
}

interface ThreadDeps {
  readonly account: Account
  readonly api: PlatformApi
  readonly threads: Map<string, boolean>
  readonly signal: AbortSignal
}

/** Whether the account began the thread; one that is gone is of no one. */
async function hasBegun(threadId: string | undefined, { account, api, threads, signal }: ThreadDeps): Promise<boolean> {
  if (threadId === undefined) return false
  const known = threads.get(threadId)
  if (known !== undefined) return known
  const path = `/api/v1/chat.getMessage?${new URLSearchParams({ msgId: threadId })}`
  const isOwn = await api.ask({ path, answer: oneMessage, signal }).then(
    (answer) => answer.message.u._id === account.id,
    (error: unknown) => {
      if (classifyDeliveryError(error).kind !== 'refused') throw error
      return false
    },
  )
  if (threads.size > 1000) threads.clear()
  threads.set(threadId, isOwn)
  return isOwn
}

function readRefusal({ status, json, headers }: PlatformAnswer): PlatformRefusal {
  const said = failure.safeParse(json).data
  const reason = typeof said?.error === 'string' ? said.error : said?.message
  // In milliseconds since 1970, when the next request is allowed.
  const waitMs = Number(headers['x-ratelimit-reset']) - Date.parse(headers['date'] ?? '')
  return { ...(reason !== undefined && { reason }), ...(status === 429 && waitMs > 0 && { waitMs }) }
}
