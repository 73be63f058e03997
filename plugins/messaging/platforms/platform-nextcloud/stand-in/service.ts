/**
 * A stand-in for a Nextcloud server with Talk and one bot: its signed calls, messages and reactions, after
 * nextcloud-talk.readthedocs.io/en/latest/bots and docs.nextcloud.com (OCS capabilities).
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import {
  type ChatService,
  openChatService,
  type ServiceAnswer,
  type ServiceRequest,
  StandInReactions,
  type WebhookCall,
  wordsOfMarkdown,
} from 'svc/sdk/kit/stand-in'
import type { StandInService } from 'svc/sdk/platform'

const SECRET = 'nextcloud-bot-secret-for-tests-of-at-least-forty-characters'
const MAX = 32_000
const FAULTS = {
  busy: { status: 429, headers: { 'retry-after': '1' }, body: ocs(429, 'Reached maximum delay') },
  unavailable: { status: 503, headers: { 'x-nextcloud-maintenance-mode': '1' }, body: '<html>Maintenance mode</html>' },
  forbidden: { status: 404, body: ocs(404, 'Conversation not found') },
}

interface Posted {
  readonly message?: string
  readonly reaction?: string
  readonly referenceId?: string
  readonly replyTo?: number
}

export async function openStandIn(): Promise<StandInService> {
  const reactions = new StandInReactions()
  const service = await openChatService<object>({
    name: 'nextcloud',
    document: 'https://nextcloud-talk.readthedocs.io/en/latest/bots/',
    webhook: { path: '/webhooks/nextcloud', create: createCall, pauseMs: () => 100 },
    config: () => ({ webhook_port: 0, direct_chats: ['*'] }),
    env: (url) => ({ NEXTCLOUD_URL: url, NEXTCLOUD_BOT_SECRET: SECRET }),
    answer: (request, state) => answer(request, state, reactions),
    member(state, { userId, group }) {
      const chatId = createToken(group ?? `with ${userId}`)
      return {
        ...{ chatId, userId },
        async say(text, { mention, quote, messageId = String(1000 + state.count()) } = {}) {
          const message = mention ? `@svc ${text}` : text
          const note = {
            ...{ type: 'Note', id: messageId, name: 'message', mediaType: 'text/markdown' },
            content: JSON.stringify({ message, parameters: [] }),
            ...(quote !== undefined && { inReplyTo: { object: { type: 'Note', id: quote } } }),
          }
          state.caller.deliver({
            ...{ type: 'Create', actor: { type: 'Person', id: `users/${userId}`, name: userId }, object: note },
            target: { type: 'Collection', id: chatId, name: group ?? userId },
          })
          return messageId
        },
      }
    },
  })
  return { ...service, reactions: () => reactions.log }
}

function createToken(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 8)
}

function createCall(event: object): WebhookCall {
  const body = JSON.stringify(event)
  const random = randomBytes(32).toString('hex')
  const signature = createHmac('sha256', SECRET).update(random).update(body).digest('hex')
  const headers = { 'x-nextcloud-talk-random': random, 'x-nextcloud-talk-signature': signature }
  return {
    headers: { ...headers, 'content-type': 'application/json', 'x-nextcloud-talk-backend': 'http://cloud' },
    body,
  }
}

function answer(request: ServiceRequest, state: ChatService<object>, reactions: StandInReactions): ServiceAnswer {
  const { path, method, headers } = request
  if (headers['ocs-apirequest'] !== 'true') return { status: 412, body: 'CSRF check failed' }
  if (path === '/ocs/v2.php/cloud/capabilities') {
    state.isKnown = true
    return { body: ocs(200, 'OK', { capabilities: { spreed: { features: ['bots-v1', 'reactions'] } } }) }
  }
  const [, chatId, what, messageId = ''] =
    /^\/ocs\/v2\.php\/apps\/spreed\/api\/v1\/bot\/([a-z0-9]+)\/(message|reaction)(?:\/(\d+))?$/.exec(path) ?? []
  if (chatId === undefined) return { status: 404, body: ocs(404, 'Not found') }
  const posted = (request.json() ?? {}) as Posted
  const { message = '', reaction = '' } = posted
  if (!isSigned(request, what === 'message' ? message : reaction) || state.isLoggedOut)
    return { status: 401, body: ocs(401, 'The bot is not authenticated') }
  if (what === 'message') return state.send(FAULTS, () => take(posted, chatId, state))
  const isDone = method === 'DELETE' ? reactions.remove(messageId, reaction) : reactions.add(messageId, reaction)
  return { status: isDone && method === 'POST' ? 201 : 200, body: ocs(200, 'OK', []) }
}

function take(
  { message = '', referenceId = '', replyTo }: Posted,
  chatId: string,
  state: ChatService<object>,
): ServiceAnswer {
  if (message === '' || !/^[0-9a-f]{64}$/.test(referenceId)) return { status: 400, body: ocs(400, 'Bad request') }
  if ([...message].length > MAX) return { status: 413, body: ocs(413, 'Message is too long') }
  const quoted = replyTo === undefined ? {} : { replyTo: String(replyTo) }
  state.record({ messageId: referenceId, chatId, raw: message, visible: wordsOfMarkdown(message, 'github'), ...quoted })
  return { status: 201, body: ocs(201, 'Created', []) }
}

function isSigned({ headers }: ServiceRequest, text: string): boolean {
  const { 'x-nextcloud-talk-bot-random': random = '', 'x-nextcloud-talk-bot-signature': given } = headers
  return random.length >= 32 && given === createHmac('sha256', SECRET).update(random).update(text).digest('hex')
}

function ocs(statuscode: number, message: string, data: unknown = []): object {
  return { ocs: { meta: { status: statuscode < 300 ? 'ok' : 'failure', statuscode, message }, data } }
}
