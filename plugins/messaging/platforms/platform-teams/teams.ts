/** A bot of Microsoft Teams, after learn.microsoft.com/azure/bot-service/rest-api (Bot Connector API). */

import { tryParseJson } from 'svc/sdk'
import type { PlatformAnswer, PlatformRefusal, WebhookPlatform, WebhookSettings } from 'svc/sdk/kit/platform'
import { setBounded } from 'svc/sdk/kit/state'
import { deliveryRefused, type MessageButton } from 'svc/sdk/platform'
import { z } from 'zod'
import { readActivity } from './activity.ts'
import { isTeamsCall } from './caller.ts'
import { markup } from './markup.ts'

/** The own keys of the block. */
export interface TeamsSettings extends WebhookSettings {
  readonly login_url: string
  readonly openid_url: string
  readonly service_hosts: readonly string[]
}

/** Where conversations are answered, as their last activity said. */
export interface TeamsAccount {
  readonly services: Map<string, string>
}

const token = z
  .object({ access_token: z.string().min(1), expires_in: z.number() })
  .transform(({ access_token, expires_in }) => ({ token: access_token, lifetimeMs: expires_in * 1000 }))
const posted = z.object({ id: z.string().min(1) })
const failure = z.object({
  error: z.union([z.string(), z.object({ code: z.string().optional(), message: z.string().optional() })]).optional(),
  error_description: z.string().optional(),
})

const SCOPE = 'https://api.botframework.com/.default'
/** Of a bot that several organisations share. */
const SHARED_TENANT = 'botframework.com'
const MAX_SERVICES = 5000

export const teams: WebhookPlatform<TeamsAccount, TeamsSettings> = {
  name: 'teams',
  label: 'Microsoft Teams',
  access: {
    users: 'TEAMS_ALLOWED_USERS',
    chats: 'TEAMS_ALLOWED_CHANNELS',
    everyone: 'TEAMS_ALLOW_ALL_USERS',
    home: 'TEAMS_HOME_CHANNEL',
  },
  limits: {
    // learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages: about 28 KB.
    maxTextLength: 28_000,
    measure: 'bytes',
    idempotency: 'none',
    markup,
    buttons: 6,
    threadTalks: true,
    // learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit: 7 messages a second in a conversation, 50 in all.
    rate: { chat: { count: 5, perMs: 1000 }, all: { count: 40, perMs: 1000 } },
    editEveryMs: 1500,
  },
  baseUrl: 'https://smba.trafficmanager.net/teams',
  port: 3978,
  path: '/api/messages',
  needs: ['TEAMS_APP_ID', 'TEAMS_APP_PASSWORD'],
  api: ({ settings, secret }) => ({
    headers: (value) => ({ authorization: `Bearer ${value}` }),
    token: () => ({
      baseUrl: settings.login_url,
      path: `/${encodeURIComponent(secret('TEAMS_TENANT_ID') || SHARED_TENANT)}/oauth2/v2.0/token`,
      form: new URLSearchParams({
        ...{ grant_type: 'client_credentials', scope: SCOPE },
        ...{ client_id: secret('TEAMS_APP_ID'), client_secret: secret('TEAMS_APP_PASSWORD') },
      }),
      answer: token,
    }),
    refusal: readRefusal,
  }),
  /** There is no request for who a bot is: that a token is given is the proof of the account. */
  async identify(api) {
    await api.signIn()
    return { services: new Map() }
  },
  // learn.microsoft.com/azure/bot-service/channel-connect-teams, "Get bot embed code".
  contact: ({ secret }) =>
    `https://teams.microsoft.com/l/chat/0/0?users=28:${encodeURIComponent(secret('TEAMS_APP_ID'))}`,
  isGenuine: (request, context) => isTeamsCall(request, context),
  read({ body }, { services }, { secret }) {
    const read = readActivity(tryParseJson(Buffer.from(body).toString('utf8'))?.value, secret('TEAMS_APP_ID'))
    if (!read) return undefined
    rememberService(services, read)
    return read.messages
  },
  async send({ chatId, threadId, text, buttons, replyTo, commit }, api, { me, address }) {
    const json = { ...createMessage(text, buttons), ...(replyTo !== undefined && { replyToId: replyTo }) }
    const place = locate(chatId, threadId, { me, address })
    const { id: messageId } = await api.ask({ ...place, json, answer: posted, commit })
    return { messageId }
  },
  async edit({ chatId, threadId, messageId, text, buttons }, api, { me, address }) {
    const { baseUrl, path } = locate(chatId, threadId, { me, address })
    const json = { ...createMessage(text, buttons), id: messageId }
    await api.ask({
      baseUrl,
      path: `${path}/${encodeURIComponent(messageId)}`,
      method: 'PUT',
      json,
      answer: z.unknown(),
    })
  },
  async typing(chatId, api, { threadId, me, address, signal }) {
    await api.ask({
      ...locate(chatId, threadId, { me, address }),
      json: { type: 'typing' },
      answer: z.unknown(),
      signal,
    })
  },
  /** Pictures are at the service and need the token; files are at SharePoint, at addresses that need none. */
  fetch({ ref }, api, { settings, address, maxBytes, signal }) {
    const services = [new URL(address).origin, ...settings.service_hosts.map((host) => `https://${host}`)]
    if (!isSharePoint(ref)) return api.fetch(ref, { origins: services, maxBytes, signal })
    return api.fetch(ref, { origins: [new URL(ref).origin], maxBytes, signal, isPublic: true })
  },
}

function isSharePoint(address: string): boolean {
  return URL.canParse(address) && /^https:\/\/[\w-]+\.sharepoint\.com$/.test(new URL(address).origin)
}

/** A conversation that has not written yet is reached at the address for all regions. */
function locate(
  chatId: string,
  threadId: string | undefined,
  { me, address }: { readonly me: TeamsAccount; readonly address: string },
): { readonly baseUrl: string; readonly path: string } {
  if (!/^[\w:@.-]{3,300}$/.test(chatId))
    throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no conversation of Teams.`)
  const id = threadId === undefined ? chatId : `${chatId};messageid=${threadId}`
  return { baseUrl: me.services.get(chatId) ?? address, path: `/v3/conversations/${encodeURIComponent(id)}/activities` }
}

function rememberService(
  services: Map<string, string>,
  { chatId, serviceUrl }: { readonly chatId: string; readonly serviceUrl: string },
): void {
  setBounded(services, chatId, serviceUrl, MAX_SERVICES)
}

function createMessage(text: string, buttons: readonly MessageButton[] = []): object {
  const message = { type: 'message', textFormat: 'markdown', text }
  return buttons.length === 0 ? message : { ...message, attachments: [createCard(buttons)] }
}

/** An Adaptive Card (adaptivecards.io/explorer): what was pressed comes back as the value of a message. */
function createCard(buttons: readonly MessageButton[]): object {
  const actions = buttons.map(({ value, label, style }) => ({
    ...{ type: 'Action.Submit', title: label, data: { svcPress: value, svcLabel: label } },
    ...(style && { style: style === 'danger' ? 'destructive' : 'positive' }),
  }))
  const content = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
  }
  return { contentType: 'application/vnd.microsoft.card.adaptive', content: { ...content, body: [], actions } }
}

/** 412 and 502 are for another attempt, too (learn.microsoft.com, "Rate limiting for bots", "Handle HTTP 429"). */
function readRefusal({ status, json }: PlatformAnswer): PlatformRefusal {
  const { error, error_description: description } = failure.safeParse(json).data ?? {}
  const reason = description?.split('\r\n')[0] ?? (typeof error === 'string' ? error : (error?.message ?? error?.code))
  const said = reason === undefined ? {} : { reason }
  // Of the token endpoint, RFC 6749, section 5.2.
  if (typeof error === 'string' && (status === 400 || status === 401)) return { kind: 'logged-out', ...said }
  return status === 412 ? { kind: 'busy', ...said } : said
}
