/**
 * A stand-in for a BlueBubbles server, by default without its private API: webhooks, texts, attachments, after
 * docs.bluebubbles.app/server/developer-guides/rest-api-and-webhooks and the Postman collection that it links.
 */
import { randomUUID } from 'node:crypto'
import {
  type ChatService,
  openChatService,
  parseForm,
  type ServiceAnswer,
  type ServiceRequest,
  type WebhookCall,
} from 'svc/sdk/kit/stand-in'
import type { StandInService } from 'svc/sdk/platform'

const PASSWORD = 'bluebubbles-password-for-tests'
const FAULTS = {
  busy: refuse(429, 'Too Many Requests', { 'retry-after': '1' }),
  unavailable: { status: 503, body: '<html>Tunnel is not available</html>' },
  forbidden: refuse(400, 'Chat does not exist!'),
}

interface Text {
  readonly chatGuid?: string
  readonly tempGuid?: string
  readonly message?: string
  readonly method?: string
}

export function openStandIn({ hasPrivateApi = false } = {}): Promise<StandInService> {
  return openChatService<object>({
    name: 'bluebubbles',
    document: 'https://docs.bluebubbles.app/server/developer-guides/rest-api-and-webhooks',
    webhook: { path: `/webhooks/bluebubbles?password=${PASSWORD}`, create: createCall, pauseMs: () => 100 },
    config: () => ({ webhook_port: 0 }),
    env: (url) => ({ BLUEBUBBLES_SERVER_URL: url, BLUEBUBBLES_PASSWORD: PASSWORD }),
    answer: (request, state) => answer(request, state, hasPrivateApi),
    member(state, { userId, group }) {
      const address = /^[+\w.@-]+$/.test(userId) ? userId : `${userId.replace(/\W+/g, '.')}@example.com`
      const chatId = group === undefined ? `iMessage;-;${address}` : `iMessage;+;chat-${group}`
      return {
        ...{ chatId, userId: address },
        async say(text, { quote, files = [], messageId = randomUUID() } = {}) {
          const attachments = files.map(({ name, mediaType, bytes }) => {
            const guid = randomUUID()
            state.files.set(guid, bytes)
            return { guid, transferName: name, mimeType: mediaType, totalBytes: bytes.length }
          })
          const data = {
            ...{ guid: messageId, text: attachments.map(() => '\ufffc').join('') + text, isFromMe: false, attachments },
            ...(files.some(({ isVoice }) => isVoice) && { isAudioMessage: true }),
            ...{ dateCreated: Date.now(), handle: { address }, chats: [{ guid: chatId }], associatedMessageGuid: null },
            ...(quote !== undefined && { threadOriginatorGuid: quote }),
          }
          state.caller.deliver({ type: 'new-message', data })
          return messageId
        },
      }
    },
  })
}

function createCall(event: object): WebhookCall {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(event) }
}

function answer(request: ServiceRequest, state: ChatService<object>, hasPrivateApi: boolean): ServiceAnswer {
  const way = hasPrivateApi ? 'private-api' : 'apple-script'
  const { path, query, method } = request
  if (query.get('password') !== PASSWORD || state.isLoggedOut)
    return refuse(401, 'You are not authorized to access this resource')
  state.isKnown = true
  if (path === '/api/v1/server/info')
    return { body: done({ os_version: '14.5', server_version: '1.9.9', private_api: hasPrivateApi }) }
  const [, attachment] = /^\/api\/v1\/attachment\/([\w-]+)\/download$/.exec(path) ?? []
  const file = attachment === undefined ? undefined : state.files.get(attachment)
  if (attachment !== undefined) return file ? { body: file } : refuse(404, 'Attachment does not exist!')
  if (method === 'POST' && path === '/api/v1/message/text')
    return state.send(FAULTS, () => takeText(request, state, way))
  if (method === 'POST' && path === '/api/v1/message/attachment')
    return state.send(FAULTS, () => takeFile(request, state, way))
  return refuse(404, 'Not found')
}

function takeText({ json }: ServiceRequest, state: ChatService<object>, way: string): ServiceAnswer {
  const { chatGuid = '', tempGuid, message = '', method } = (json() ?? {}) as Text
  if (!isChat(chatGuid) || !tempGuid || message === '' || method !== way) return refuse(400, 'Bad Request')
  return keep(state, { chatId: chatGuid, raw: message, visible: message })
}

function takeFile(request: ServiceRequest, state: ChatService<object>, way: string): ServiceAnswer {
  const { fields = {}, files: [file] = [] } = parseForm(request) ?? {}
  const { chatGuid = '', tempGuid, name, method, isAudioMessage } = fields
  if (!isChat(chatGuid) || !tempGuid || !name || !file || method !== way) return refuse(400, 'Bad Request')
  // The server makes the format of Messages of MP3 alone, and only its private API sends it as a recording.
  const isVoice = isAudioMessage === 'true'
  if (isVoice && (way !== 'private-api' || !isMp3(file.bytes))) return refuse(400, 'Bad Request')
  return keep(state, {
    ...{ chatId: chatGuid, raw: '', visible: '', files: [{ name, bytes: file.bytes, ...(isVoice && { isVoice }) }] },
  })
}

function keep(
  state: ChatService<object>,
  message: Omit<Parameters<ChatService<object>['record']>[0], 'messageId'>,
): ServiceAnswer {
  const messageId = randomUUID()
  state.record({ ...message, messageId })
  return { body: done({ guid: messageId, dateCreated: Date.now() }) }
}

function isMp3([first = 0, second = 0]: Uint8Array): boolean {
  return (first === 0xff && (second & 0xe0) === 0xe0) || (first === 0x49 && second === 0x44)
}

function isChat(guid: string): boolean {
  return /^(?:iMessage|SMS);[-+];\S+$/.test(guid)
}

function done(data: object): object {
  return { status: 200, message: 'Success', data }
}

function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): ServiceAnswer {
  return { status, headers, body: { status, message, error: { type: 'Error', message } } }
}
