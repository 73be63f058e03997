/**
 * A stand-in for Viber with one bot: signed callbacks, messages with keyboards, media, statuses in answers of HTTP 200, after
 * developers.viber.com/docs/api/rest-bot-api.
 */
import { createHash, createHmac } from 'node:crypto'
import {
  type ChatService,
  openChatService,
  type ServiceAnswer,
  type ServiceRequest,
  type WebhookCall,
} from 'svc/sdk/kit/stand-in'
import type { StandInService } from 'svc/sdk/platform'

const TOKEN = '445da6az1s345z78-for-tests-e0vc5fva17480im9'
const FAULTS = {
  busy: refuse(12, 'tooManyRequests'),
  unavailable: { status: 503, body: '<html>Service Temporarily Unavailable</html>' },
  forbidden: refuse(6, 'receiverNotSubscribed'),
}
/** Tokens of messages are longer than the whole numbers of JavaScript. */
const FIRST = 5_741_311_803_571_721_087n

interface Sent {
  readonly receiver?: string
  readonly type?: string
  readonly text?: string
  readonly sender?: { readonly name?: string }
  readonly keyboard?: {
    readonly Buttons?: readonly { readonly ActionType?: string; readonly ActionBody?: string; readonly Text?: string }[]
  }
}

interface Said {
  readonly token: string
  readonly sender: object
  readonly message: object
}

export function openStandIn(): Promise<StandInService> {
  let url = ''
  return openChatService<Said>({
    name: 'viber',
    document: 'https://developers.viber.com/docs/api/rest-bot-api/',
    webhook: { path: '/webhooks/viber', create: createCall, pauseMs: () => 100 },
    config(address) {
      url = address
      return { base_url: address, webhook_port: 0 }
    },
    env: () => ({ VIBER_AUTH_TOKEN: TOKEN }),
    answer,
    member(state, { userId }) {
      const id = createId(userId)
      const sender = { id, name: userId, language: 'en', country: 'GB', api_version: 10 }
      const say = (message: object, token = String(FIRST + BigInt(state.count()))) => {
        state.caller.deliver({ token, sender, message })
        return token
      }
      return {
        ...{ chatId: id, userId: id },
        async say(text, { messageId, files = [] } = {}) {
          const kept = files.map(({ name, mediaType, bytes }) => {
            const path = `/media/${state.count()}`
            state.files.set(path, bytes)
            const type = mediaType.startsWith('image/') ? 'picture' : 'file'
            return { type, text, media: `${url}${path}`, file_name: name, size: bytes.length }
          })
          const [first = { type: 'text', text }, ...rest] = kept
          for (const each of rest) say(each)
          return say(first, messageId)
        },
        press: async (label) => void say({ type: 'text', text: String(state.pressed(id, label)) }),
      }
    },
  })
}

/** Ids are 16 bytes in base64; a name has always the same. */
function createId(name: string): string {
  if (/^[A-Za-z0-9+/]{22}==$/.test(name)) return name
  return createHash('md5').update(name).digest('base64')
}

function createCall({ token, sender, message }: Said): WebhookCall {
  const rest = JSON.stringify({ sender, message, silent: false })
  const body = `{"event":"message","timestamp":${Date.now()},"message_token":${token},${rest.slice(1)}`
  const signature = createHmac('sha256', TOKEN).update(body).digest('hex')
  return { headers: { 'content-type': 'application/json', 'x-viber-content-signature': signature }, body }
}

function answer(request: ServiceRequest, state: ChatService<Said>): ServiceAnswer {
  const { path, headers, method, json } = request
  const file = state.files.get(path)
  if (file) return { body: file }
  if (path.startsWith('/media/')) return { status: 404 }
  if (method !== 'POST') return { status: 405 }
  if (headers['x-viber-auth-token'] !== TOKEN || state.isLoggedOut) return refuse(2, 'invalidAuthToken')
  state.isKnown = true
  if (path === '/pa/get_account_info')
    return { body: { status: 0, status_message: 'ok', id: 'pa:1', name: 'svc', uri: 'svcbot' } }
  if (path !== '/pa/send_message') return { status: 404 }
  return state.send(FAULTS, () => take((json() ?? {}) as Sent, state))
}

function take({ receiver = '', type, text = '', sender, keyboard }: Sent, state: ChatService<Said>): ServiceAnswer {
  const pressed = keyboard?.Buttons ?? []
  if (!/^[A-Za-z0-9+/]{22}==$/.test(receiver)) return refuse(5, 'receiverNotRegistered')
  if (type !== 'text' || text === '' || text.length > 7000 || !sender?.name || sender.name.length > 28)
    return refuse(3, 'badData')
  if (pressed.some(({ ActionType, ActionBody, Text }) => ActionType !== 'reply' || !ActionBody || !Text))
    return refuse(3, 'badData')
  const messageId = String(FIRST + 1_000_000_000n * BigInt(state.count()))
  const buttons = Object.fromEntries(pressed.map(({ Text = '', ActionBody }) => [Text, ActionBody]))
  state.record({ messageId, chatId: receiver, raw: text, visible: text, buttons })
  return { body: `{"status":0,"status_message":"ok","message_token":${messageId},"chat_hostname":"SN-CHAT-00"}` }
}

function refuse(status: number, word: string): ServiceAnswer {
  return { body: { status, status_message: word } }
}
