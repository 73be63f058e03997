/**
 * A stand-in for Google Chat with one app: tokens for assertions, published keys, signed events, messages by request id, cards, media,
 * after developers.google.com/workspace/chat/api/reference/rest and .../verify-requests-from-chat.
 */
import { createHash, randomUUID } from 'node:crypto'
import { decodeJwt, exportJWK, exportPKCS8, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import {
  type ChatService,
  openChatService,
  type ServiceAnswer,
  type ServiceRequest,
  type WebhookCall,
  wordsOfChatMarks,
} from 'svc/sdk/kit/stand-in'
import type { StandInService } from 'svc/sdk/platform'

export const PROJECT = '1234567890'
const EMAIL = 'svc@project-for-tests.iam.gserviceaccount.com'
const CHAT = 'chat@system.gserviceaccount.com'
const KEY_ID = 'key-for-tests'
const HOUR_SECONDS = 3600
const SCOPE = 'https://www.googleapis.com/auth/chat.bot'
/** Of Chat, and of the service account, for all stand-ins of a process. */
const chatKeys = generateKeyPair('RS256', { extractable: true })
const accountKeys = generateKeyPair('RS256', { extractable: true })
const FAULTS = {
  busy: { status: 429, headers: { 'retry-after': '1' }, body: wrong(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded') },
  unavailable: { status: 503, body: wrong(503, 'UNAVAILABLE', 'The service is currently unavailable.') },
  forbidden: { status: 403, body: wrong(403, 'PERMISSION_DENIED', 'The app is not a member of this space.') },
}

interface Posted {
  readonly text?: string
  readonly thread?: { readonly name?: string }
  readonly cardsV2?: readonly {
    readonly card?: {
      readonly sections?: readonly {
        readonly widgets?: readonly { readonly buttonList?: { readonly buttons?: readonly Button[] } }[]
      }[]
    }
  }[]
}
interface Button {
  readonly text?: string
  readonly onClick?: {
    readonly action?: { readonly parameters?: readonly { readonly key: string; readonly value: string }[] }
  }
}

/** The service; its keys sign whatever claims a test wants. */
export interface GoogleChatService extends StandInService {
  expireTokens(): void
  sign(claims?: object): Promise<string>
}

export async function openStandIn(): Promise<GoogleChatService> {
  const given = { token: '' }
  /** Names of messages by the requests that made them. */
  const requests = new Map<string, object>()
  const privateKey = await exportPKCS8((await accountKeys).privateKey)
  const key = JSON.stringify({
    type: 'service_account',
    client_email: EMAIL,
    private_key: privateKey,
    private_key_id: 'k',
  })
  const service = await openChatService<object>({
    name: 'googlechat',
    document: 'https://developers.google.com/workspace/chat/api/reference/rest',
    webhook: { path: '/webhooks/googlechat', create: createCall, pauseMs: () => 100 },
    config: (url) => ({ base_url: url, token_url: `${url}/token`, keys_url: `${url}/keys`, webhook_port: 0 }),
    env: () => ({ GOOGLE_CHAT_SERVICE_ACCOUNT: key, GOOGLE_CHAT_AUDIENCE: PROJECT }),
    answer: (request, state) => answer(request, state, { given, requests }),
    member(state, { userId, group }) {
      const [id, chatId] = [`users/${createId(userId)}`, `spaces/${createId(group ?? `with ${userId}`)}`]
      const isDirect = group === undefined
      const space = { name: chatId, type: isDirect ? 'DM' : 'ROOM', spaceType: isDirect ? 'DIRECT_MESSAGE' : 'SPACE' }
      const user = { name: id, displayName: userId, type: 'HUMAN' }
      const happen = (what: object) =>
        state.caller.deliver({ eventTime: new Date().toISOString(), space, user, ...what })
      return {
        ...{ chatId, userId: id },
        async say(
          text,
          { mention, threadId, quote, files = [], messageId = `${chatId}/messages/${randomUUID()}` } = {},
        ) {
          const attachment = files.map(({ name, mediaType, bytes }) => {
            const resourceName = `media-${state.count()}`
            state.files.set(resourceName, bytes)
            return {
              contentName: name,
              contentType: mediaType,
              source: 'UPLOADED_CONTENT',
              attachmentDataRef: { resourceName },
            }
          })
          const message = {
            ...{
              name: messageId,
              sender: user,
              text: mention ? `@svc ${text}` : text,
              argumentText: ` ${text}`,
              attachment,
            },
            thread: { name: `${chatId}/threads/${threadId ?? state.count()}` },
            ...(threadId !== undefined && { threadReply: true }),
            ...(quote !== undefined && { quotedMessageMetadata: { name: quote } }),
          }
          happen({ type: 'MESSAGE', message })
          return messageId
        },
        async press(label) {
          const parameters = state.pressed(chatId, label)
          const message = { name: `${chatId}/messages/card`, thread: { name: `${chatId}/threads/card` } }
          happen({ type: 'CARD_CLICKED', message, common: { invokedFunction: 'svc-press', parameters } })
        },
      }
    },
  })
  return { ...service, sign, expireTokens: () => Object.assign(given, { token: '' }) }
}

/** Ids are opaque; a name has always the same. */
function createId(name: string): string {
  const [, id] = /^(?:users|spaces)\/(\w+)$/.exec(name) ?? []
  return id ?? createHash('sha256').update(name).digest('hex').slice(0, 20)
}

async function sign(claims: object = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: CHAT, aud: PROJECT, iat: now, exp: now + HOUR_SECONDS }
  const { privateKey } = await chatKeys
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'RS256', kid: KEY_ID }).sign(privateKey)
}

async function createCall(event: object): Promise<WebhookCall> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await sign()}` }
  return { headers, body: JSON.stringify(event) }
}

async function answer(
  request: ServiceRequest,
  state: ChatService<object>,
  { given, requests }: { readonly given: { token: string }; readonly requests: Map<string, object> },
): Promise<ServiceAnswer> {
  const { path, headers, method, query } = request
  if (path === '/keys') return { body: { keys: [{ ...(await exportJWK((await chatKeys).publicKey)), kid: KEY_ID }] } }
  if (path === '/token') return giveToken(request, state, given)
  if (given.token === '' || headers['authorization'] !== `Bearer ${given.token}` || state.isLoggedOut)
    return { status: 401, body: wrong(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.') }
  if (path === '/v1/spaces') return { body: { spaces: [] } }
  const [, media] = /^\/v1\/media\/([\w-]+)$/.exec(path) ?? []
  const file = state.files.get(media ?? '')
  if (file && query.get('alt') === 'media') return { body: file }
  const [, chatId, id] = /^\/v1\/(spaces\/\w+)\/messages(?:\/([\w.-]+))?$/.exec(path) ?? []
  if (chatId === undefined) return { status: 404, body: wrong(404, 'NOT_FOUND', 'Not found') }
  const posted = (request.json() ?? {}) as Posted
  return state.send(FAULTS, () => {
    if (method === 'PATCH') return change(posted, `${chatId}/messages/${id}`, state)
    return take(posted, chatId, { state, requests, requestId: query.get('requestId') ?? randomUUID() })
  })
}

async function giveToken(
  { body, headers }: ServiceRequest,
  state: ChatService<object>,
  given: { token: string },
): Promise<ServiceAnswer> {
  const form = new URLSearchParams(body.toString('utf8'))
  const audience = `http://${headers['host']}/token`
  const claims = { issuer: EMAIL, audience, algorithms: ['RS256'] }
  const assertion = form.get('assertion') ?? ''
  const { iat = 0, exp = 0 } = decodeJwt(assertion)
  // By the clock of the one who asks, which tests may set.
  const currentDate = new Date(iat * 1000)
  const isRight = await jwtVerify(assertion, (await accountKeys).publicKey, { ...claims, currentDate }).then(
    ({ payload }) => payload['scope'] === SCOPE && exp - iat <= HOUR_SECONDS,
    () => false,
  )
  if (!isRight || form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || state.isLoggedOut)
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } }
  state.isKnown = true
  given.token = randomUUID()
  return { body: { access_token: given.token, expires_in: HOUR_SECONDS, token_type: 'Bearer' } }
}

function take(
  { text = '', thread, cardsV2 }: Posted,
  chatId: string,
  {
    state,
    requests,
    requestId,
  }: { readonly state: ChatService<object>; readonly requests: Map<string, object>; readonly requestId: string },
): ServiceAnswer {
  if (text === '' || [...text].length > 4096)
    return { status: 400, body: wrong(400, 'INVALID_ARGUMENT', 'Message text is wrong.') }
  const known = requests.get(requestId)
  if (known !== undefined) return { body: known }
  const messageId = `${chatId}/messages/${randomUUID()}`
  const body = { name: messageId, createTime: new Date().toISOString() }
  requests.set(requestId, body)
  const threadId = thread?.name?.split('/threads/')[1]
  state.record({
    messageId,
    chatId,
    threadId,
    raw: text,
    visible: wordsOfChatMarks(text),
    buttons: listButtons(cardsV2),
  })
  return { body }
}

function change({ text = '' }: Posted, messageId: string, state: ChatService<object>): ServiceAnswer {
  if (text === '' || [...text].length > 4096)
    return { status: 400, body: wrong(400, 'INVALID_ARGUMENT', 'Message text is wrong.') }
  if (state.edit(messageId, text, wordsOfChatMarks(text))) return { body: { name: messageId } }
  return { status: 404, body: wrong(404, 'NOT_FOUND', 'Not found') }
}

function listButtons(cards: Posted['cardsV2'] = []): Readonly<Record<string, unknown>> {
  const widgets = cards.flatMap(({ card }) => card?.sections?.flatMap((section) => section.widgets ?? []) ?? [])
  const buttons = widgets.flatMap(({ buttonList }) => buttonList?.buttons ?? [])
  return Object.fromEntries(
    buttons.map(({ text = '', onClick }) => {
      const pairs = onClick?.action?.parameters?.map(({ key, value }) => [key, value]) ?? []
      return [text, Object.fromEntries(pairs)]
    }),
  )
}

function wrong(code: number, status: string, message: string): object {
  return { error: { code, status, message } }
}
