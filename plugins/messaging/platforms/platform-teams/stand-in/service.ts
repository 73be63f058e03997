/**
 * A stand-in for the Bot Framework with Microsoft Teams: tokens, published keys, signed activities, conversations, after
 * learn.microsoft.com/azure/bot-service/rest-api and .../bot-framework-rest-connector-authentication.
 */
import { createHash, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import {
  type ChatService,
  openChatService,
  type ServiceAnswer,
  type ServiceRequest,
  type WebhookCall,
  wordsOfMarkdown,
} from 'svc/sdk/kit/stand-in'
import type { StandInService } from 'svc/sdk/platform'

export const APP_ID = '11111111-2222-4333-8444-555555555555'
const PASSWORD = 'teams-client-secret-for-tests'
const KEY_ID = 'key-for-tests'
/** Of a key that vouches for another channel. */
export const FOREIGN_KEY_ID = 'key-of-web-chat'
const MAX_BYTES = 28_000
const HOUR_SECONDS = 3600
/** The signing keys of all stand-ins of a process. */
const keys = Promise.all([
  generateKeyPair('RS256', { extractable: true }),
  generateKeyPair('RS256', { extractable: true }),
]).then(([own, foreign]) => ({ own, foreign }))
const FAULTS = {
  busy: { status: 429, headers: { 'retry-after': '1' }, body: wrong('TooManyRequests', 'Too many requests') },
  unavailable: { status: 503, body: '<html>Service Unavailable</html>' },
  forbidden: {
    status: 403,
    body: wrong('BotNotInConversationRoster', 'The bot is not part of the conversation roster.'),
  },
}

interface Posted {
  readonly type?: string
  readonly text?: string
  readonly textFormat?: string
  readonly replyToId?: string
  readonly attachments?: readonly {
    readonly contentType?: string
    readonly content?: { readonly actions?: readonly { readonly title?: string; readonly data?: unknown }[] }
  }[]
}

/** The service; its keys sign whatever claims a test wants. */
export interface TeamsService extends StandInService {
  /** What comes in after a token has expired is refused until a new one is fetched. */
  expireTokens(): void
  sign(claims?: object, head?: object): Promise<string>
}

export async function openStandIn(): Promise<TeamsService> {
  let url = ''
  const given: { token: string } = { token: '' }
  const service = await openChatService<object>({
    name: 'teams',
    document: 'https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference',
    webhook: { path: '/api/messages', create: (event) => createCall(event, url), pauseMs: () => 100 },
    config(address) {
      url = address
      const openid = `${address}/v1/.well-known/openidconfiguration`
      return { base_url: address, login_url: address, openid_url: openid, webhook_port: 0 }
    },
    env: () => ({ TEAMS_APP_ID: APP_ID, TEAMS_APP_PASSWORD: PASSWORD }),
    answer: (request, state) => answer(request, state, { url, given }),
    member(state, { userId, group }) {
      const id = createId(userId)
      const chatId = group === undefined ? `a:${id}` : `19:${createId(group)}@thread.v2`
      const conversation = {
        id: chatId,
        conversationType: group === undefined ? 'personal' : 'groupChat',
        tenantId: 't',
      }
      const happen = (what: object) =>
        state.caller.deliver({
          ...{
            type: 'message',
            timestamp: new Date().toISOString(),
            serviceUrl: url,
            channelId: 'msteams',
            conversation,
          },
          ...{
            from: { id: `29:${id}`, name: userId, aadObjectId: id },
            recipient: { id: `28:${APP_ID}`, name: 'svc' },
          },
          ...what,
        })
      return {
        ...{ chatId, userId: id },
        async say(text, { mention, quote, threadId, files = [], messageId = randomUUID() } = {}) {
          const attachments = files.map(({ name, mediaType, bytes }) => {
            const path = `/v3/attachments/${state.count()}/views/original`
            state.files.set(path, bytes)
            return { contentType: mediaType, contentUrl: `${url}${path}`, name }
          })
          const entity = { type: 'mention', text: '<at>svc</at>', mentioned: { id: `28:${APP_ID}`, name: 'svc' } }
          happen({
            ...{ id: messageId, text: mention ? `<at>svc</at> ${text}` : text, textFormat: 'plain', attachments },
            ...(mention && { entities: [entity] }),
            ...(quote !== undefined && { replyToId: quote }),
            ...(threadId !== undefined && { conversation: { ...conversation, id: `${chatId};messageid=${threadId}` } }),
          })
          return messageId
        },
        press: async (label) => happen({ id: randomUUID(), value: state.pressed(chatId, label) }),
      }
    },
  })
  return {
    ...service,
    sign: (claims, head) => sign(url, claims, head),
    expireTokens: () => Object.assign(given, { token: '' }),
  }
}

/** Ids of the directory are UUIDs; a name has always the same. */
function createId(name: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name)) return name
  const hex = createHash('sha256').update(name).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

async function sign(url: string, claims: object = {}, head: object = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: 'https://api.botframework.com', aud: APP_ID, serviceurl: url, exp: now + HOUR_SECONDS }
  const header = { alg: 'RS256', kid: KEY_ID, ...head }
  const { own, foreign } = await keys
  const { privateKey } = header.kid === FOREIGN_KEY_ID ? foreign : own
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader(header).sign(privateKey)
}

async function createCall(event: object, url: string): Promise<WebhookCall> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await sign(url)}` }
  return { headers, body: JSON.stringify(event) }
}

async function answer(
  request: ServiceRequest,
  state: ChatService<object>,
  { url, given }: { readonly url: string; readonly given: { token: string } },
): Promise<ServiceAnswer> {
  const { path, headers, method } = request
  if (path === '/v1/.well-known/openidconfiguration')
    return { body: { issuer: 'https://api.botframework.com', jwks_uri: `${url}/v1/.well-known/keys` } }
  if (path === '/v1/.well-known/keys') {
    const { own, foreign } = await keys
    const published = [
      { ...(await exportJWK(own.publicKey)), kid: KEY_ID, use: 'sig', endorsements: ['msteams'] },
      { ...(await exportJWK(foreign.publicKey)), kid: FOREIGN_KEY_ID, use: 'sig', endorsements: ['webchat'] },
    ]
    return { body: { keys: published } }
  }
  if (path === '/botframework.com/oauth2/v2.0/token') return giveToken(request, state, given)
  if (given.token === '' || headers['authorization'] !== `Bearer ${given.token}` || state.isLoggedOut)
    return { status: 401, body: wrong('Unauthorized', 'Authorization has been denied for this request.') }
  const file = state.files.get(path)
  if (file) return { body: file }
  const [, place = '', id] = /^\/v3\/conversations\/([^/]+)\/activities(?:\/([^/]+))?$/.exec(path) ?? []
  if (place === '') return { status: 404, body: wrong('NotFound', 'Not found') }
  const posted = (request.json() ?? {}) as Posted
  if (posted.type === 'typing') return { status: 202, body: { id: '' } }
  return state.send(FAULTS, () => take(posted, state, { place: decodeURIComponent(place), method, id }))
}

function giveToken({ body }: ServiceRequest, state: ChatService<object>, given: { token: string }): ServiceAnswer {
  const form = new URLSearchParams(body.toString('utf8'))
  const isRight = form.get('client_id') === APP_ID && form.get('client_secret') === PASSWORD
  const isWhole =
    form.get('grant_type') === 'client_credentials' && form.get('scope') === 'https://api.botframework.com/.default'
  if (!isRight || !isWhole || state.isLoggedOut) {
    const description = 'AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1'
    return { status: 401, body: { error: 'invalid_client', error_description: description } }
  }
  state.isKnown = true
  given.token = randomUUID()
  return { body: { token_type: 'Bearer', expires_in: HOUR_SECONDS, access_token: given.token } }
}

function take(
  { type, text = '', textFormat, replyToId, attachments = [] }: Posted,
  state: ChatService<object>,
  { place, method, id }: { readonly place: string; readonly method: string; readonly id: string | undefined },
): ServiceAnswer {
  const [chatId = '', threadId] = place.split(';messageid=')
  if (type !== 'message' || textFormat !== 'markdown' || text === '' || !/^(?:a|19|29):/.test(chatId))
    return { status: 400, body: wrong('BadSyntax', 'Invalid activity') }
  if (Buffer.byteLength(text) > MAX_BYTES)
    return { status: 413, body: wrong('MessageSizeTooBig', 'Message size too large') }
  const visible = wordsOfMarkdown(text, 'github')
  if (method === 'PUT' && id !== undefined)
    return state.edit(decodeURIComponent(id), text, visible)
      ? { body: { id } }
      : { status: 404, body: wrong('NotFound', 'Not found') }
  const messageId = String(1_700_000_000_000 + state.count())
  const actions = attachments.flatMap(({ content }) => content?.actions ?? [])
  const buttons = Object.fromEntries(actions.map(({ title = '', data }) => [title, data]))
  state.record({ messageId, chatId, threadId, replyTo: replyToId, raw: text, visible, buttons })
  return { status: 201, body: { id: messageId } }
}

function wrong(code: string, message: string): object {
  return { error: { code, message } }
}
