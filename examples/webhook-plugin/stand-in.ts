/** The service on loopback, with its faults: rehearsals, contracts and kill tests run against it. */
import { createHmac } from 'node:crypto'
import {
  type ChatService,
  openChatService,
  type ServiceAnswer,
  type ServiceRequest,
  type WebhookCall,
  wordsOfChatMarks,
} from 'svc/sdk/kit/stand-in'
import type { StandInService } from 'svc/sdk/platform'

const TOKEN = 'courier-token-for-tests'
const SECRET = 'courier-secret-for-tests'
const FAULTS = {
  busy: { status: 429, headers: { 'retry-after': '1' } },
  unavailable: { status: 503, body: '<h1>Back soon</h1>' },
  forbidden: { status: 403, body: { error: 'blocked' } },
}

interface Sent {
  readonly to?: string
  readonly text?: string
  readonly key?: string
}

export function openStandIn(): Promise<StandInService> {
  const keys = new Map<string, string>()
  return openChatService<object>({
    name: 'courier',
    document: 'https://courier.example.com/docs',
    webhook: { path: '/webhooks/courier', create: createCall, pauseMs: () => 100 },
    config: (url) => ({ base_url: url, webhook_port: 0 }),
    env: () => ({ COURIER_TOKEN: TOKEN, COURIER_SECRET: SECRET }),
    answer: (request, service) => answer(request, service, keys),
    member(service, { userId, group }) {
      const chatId = group ?? userId
      return {
        ...{ chatId, userId },
        async say(text, { mention, messageId: id = `in-${service.count()}` } = {}) {
          const mentions = mention ? ['svc'] : []
          service.caller.deliver({ id, from: userId, text, mentions, ...(group !== undefined && { room: group }) })
          return id
        },
      }
    },
  })
}

function createCall(event: object): WebhookCall {
  const body = JSON.stringify(event)
  const time = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')
  return { headers: { 'x-courier-time': time, 'x-courier-signature': signature }, body }
}

function answer(request: ServiceRequest, service: ChatService<object>, keys: Map<string, string>): ServiceAnswer {
  if (request.headers['authorization'] !== `Bearer ${TOKEN}` || service.isLoggedOut) return { status: 401 }
  service.isKnown = true
  if (request.path === '/me') return { body: { id: 'svc' } }
  return service.send(FAULTS, () => {
    const { to: chatId = '', text: raw = '', key = '' } = (request.json() ?? {}) as Sent
    if (!chatId || !raw || raw.length > 2000) return { status: 400 }
    const messageId = keys.get(key) ?? `out-${service.count()}`
    if (!keys.has(key)) service.record({ messageId, chatId, raw, visible: wordsOfChatMarks(raw) })
    keys.set(key, messageId)
    return { body: { id: messageId } }
  })
}
