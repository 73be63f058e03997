/**
 * A stand-in for Synology Chat with one chatbot: forms that it posts, buttons, and its API, after
 * kb.synology.com/en-global/DSM/help/Chat/chat_integration.
 */
import {
  type ChatService,
  openChatService,
  type ServiceAnswer,
  type ServiceRequest,
  type WebhookCall,
} from 'svc/sdk/kit/stand-in'
import type { StandInService } from 'svc/sdk/platform'

const TOKEN = 'synology-token-for-tests-0123456789'
const FAULTS = {
  busy: refuse(411),
  unavailable: { status: 503, body: '<html>The system is being updated.</html>' },
  forbidden: refuse(120),
}

interface Payload {
  readonly text?: string
  readonly user_ids?: readonly number[]
  readonly attachments?: readonly { readonly actions?: readonly { readonly value: string; readonly text: string }[] }[]
}

export function openStandIn(): Promise<StandInService> {
  return openChatService<Record<string, string>>({
    name: 'synology',
    document: 'https://kb.synology.com/en-global/DSM/help/Chat/chat_integration',
    webhook: { path: '/webhooks/synology', create: createCall, pauseMs: () => 100 },
    config: () => ({ webhook_port: 0 }),
    env: (url) => ({ SYNOLOGY_CHAT_URL: url, SYNOLOGY_CHAT_TOKEN: TOKEN }),
    answer,
    member(state, { userId }) {
      const id = createId(userId)
      return {
        ...{ chatId: id, userId: id },
        async say(text, { messageId = String(4_000_000 + state.count()) } = {}) {
          const call = { token: TOKEN, user_id: id, username: userId, post_id: messageId, text }
          state.caller.deliver({ ...call, timestamp: String(Date.now()) })
          return messageId
        },
        async press(label) {
          const value = String(state.pressed(id, label))
          const actions = [{ type: 'button', name: 'choice', value, text: label }]
          const user = { user_id: Number(id), username: userId }
          const payload = { actions, callback_id: 'c', post_id: 5_000_000 + state.count(), token: TOKEN, user }
          state.caller.deliver({ payload: JSON.stringify(payload) })
        },
      }
    },
  })
}

/** Users have numbers; a name has always the same. */
function createId(name: string): string {
  if (/^\d+$/.test(name)) return name
  return String([...name].reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 1_000_000_007, 7))
}

function createCall(fields: Record<string, string>): WebhookCall {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { headers, body: new URLSearchParams(fields).toString() }
}

function answer({ path, query, body }: ServiceRequest, state: ChatService<Record<string, string>>): ServiceAnswer {
  if (path !== '/webapi/entry.cgi' || query.get('api') !== 'SYNO.Chat.External') return refuse(102)
  if (query.get('token') !== JSON.stringify(TOKEN) || state.isLoggedOut) return refuse(404)
  state.isKnown = true
  if (query.get('method') === 'user_list') return { body: { success: true, data: { users: [] } } }
  if (query.get('method') !== 'chatbot') return refuse(103)
  return state.send(FAULTS, () => {
    const form = new URLSearchParams(body.toString('utf8'))
    const { text = '', user_ids: users = [], attachments = [] } = JSON.parse(form.get('payload') ?? '{}') as Payload
    const [user] = users
    if (users.length !== 1 || !Number.isSafeInteger(user) || text === '' || text.length > 2000) return refuse(120)
    const actions = attachments.flatMap((each) => each.actions ?? [])
    const [messageId, chatId] = [String(7_000_000 + state.count()), String(user)]
    const buttons = Object.fromEntries(actions.map((each) => [each.text, each.value]))
    state.record({ messageId, chatId, raw: text, visible: text, buttons })
    return { body: { success: true, data: { fail: [], succ: { user_id_post_map: { [chatId]: Number(messageId) } } } } }
  })
}

function refuse(code: number): ServiceAnswer {
  return { body: { success: false, error: { code, errors: 'refused' } } }
}
