/** An official account of WeChat as a webhook platform, after developers.weixin.qq.com/doc/offiaccount. */
import { isRecent } from 'svc/sdk/kit/net'
import type { PlatformAnswer, PlatformRefusal, WebhookPlatform, WebhookSettings } from 'svc/sdk/kit/platform'
import { deliveryRefused } from 'svc/sdk/platform'
import type { HttpResponse } from 'svc/sdk/web'
import { z } from 'zod'
import { createReply, createSeal, readCall, readEncrypted, readParameters, toMessage } from './events.ts'
import { PassiveReplies } from './passive-replies.ts'

/** The own keys of the block. */
export interface WeChatSettings extends WebhookSettings {
  readonly reply: 'service' | 'passive' | 'both'
}

interface Me {
  readonly replies: PassiveReplies
}

const token = z
  .object({ access_token: z.string().min(1), expires_in: z.number() })
  .transform((answer) => ({ token: answer.access_token, lifetimeMs: answer.expires_in * 1000 }))
const addresses = z.object({ ip_list: z.array(z.string()) })
const sent = z.object({ errcode: z.literal(0) })
const failure = z.object({ errcode: z.number(), errmsg: z.string().optional() })

/** developers.weixin.qq.com/doc/offiaccount/Getting_Started/Global_Return_Code.html */
const EXPIRED = [40001, 40014, 42001]
const WRONG_SECRET = [40013, 40125, 41002, 41004]
const BUSY = [-1, 45009, 45011]
const WAIT_MS = 1000
/** No answer to this call: WeChat calls again. */
const AGAIN: HttpResponse = { status: 503 }
const TAKEN: HttpResponse = { headers: { 'content-type': 'text/plain' }, body: 'success' }

export const wechat: WebhookPlatform<Me, WeChatSettings> = {
  name: 'wechat',
  label: 'WeChat',
  hint: 'Answers are WeChat messages: write one or two short plain paragraphs.',
  access: { users: 'WECHAT_ALLOWED_USERS', everyone: 'WECHAT_ALLOW_ALL_USERS', home: 'WECHAT_HOME_CHANNEL' },
  limits: { maxTextLength: 2048, measure: 'bytes', idempotency: 'none' },
  baseUrl: 'https://api.weixin.qq.com',
  port: 8648,
  path: '/webhooks/wechat',
  needs: ['WECHAT_APP_ID', 'WECHAT_APP_SECRET', 'WECHAT_TOKEN'],
  api: ({ secret }) => ({
    token: () => ({
      path: '/cgi-bin/stable_token',
      json: {
        grant_type: 'client_credential',
        appid: secret('WECHAT_APP_ID'),
        secret: secret('WECHAT_APP_SECRET'),
      },
      answer: token,
    }),
    query: (value) => ({ access_token: value }),
    isRefusal: ({ json }) => (failure.safeParse(json).data?.errcode ?? 0) !== 0,
    refusal: readRefusal,
  }),
  async identify(api) {
    await api.ask({ path: '/cgi-bin/get_api_domain_ip', answer: addresses })
    return { replies: new PassiveReplies() }
  },
  isGenuine(request, context) {
    const { signature, sealed, time, nonce, isSealed } = readParameters(request)
    const seal = createSeal(context)
    const isOurs = isSealed
      ? seal.isSigned([time, nonce, readEncrypted(request)], sealed)
      : seal.isSigned([time, nonce], signature)
    return isOurs && isRecent(time, context.clock.now())
  },
  checks: true,
  reply: ({ method, query }) =>
    method === 'GET' ? { headers: { 'content-type': 'text/plain' }, body: query.get('echostr') ?? '' } : undefined,
  read(request, _me, context) {
    const fields = readCall(request, context)
    const message = fields && toMessage(fields)
    return fields && (message ? [message] : [])
  },
  async respond(request, { me: { replies }, ...context }) {
    const message = toMessage(readCall(request, context) ?? {})
    if (!message || context.settings.reply === 'service') return TAKEN
    const text = await replies.wait(message, { clock: context.clock, signal: request.signal })
    if (text !== undefined) return createReply(request, text, context)
    // The last call is acknowledged: people would be told that the account is out of order.
    return context.settings.reply === 'passive' && replies.comesAgain(message.messageId) ? AGAIN : TAKEN
  },
  async send({ chatId, text, key, commit }, api, { me, settings }) {
    if (!/^[\w-]{1,64}$/.test(chatId)) throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no OpenID of WeChat.`)
    const question = me.replies.answer(chatId, text, commit)
    if (question !== undefined) return { messageId: `reply-${question}` }
    if (settings.reply === 'passive')
      throw deliveryRefused(
        'PLATFORM_REFUSED',
        'WeChat waits 15 seconds for an answer, and they are over. An account with customer service messages can answer later: set platforms.wechat.reply to "service".',
      )
    const json = { touser: chatId, msgtype: 'text', text: { content: text } }
    await api.ask({ path: '/cgi-bin/message/custom/send', json, commit, answer: sent })
    return { messageId: `service-${key}` }
  },
  fetch: ({ ref }, api, { address, maxBytes, signal }) =>
    api.fetch(`${address}/cgi-bin/media/get?media_id=${encodeURIComponent(ref)}`, {
      ...{ origins: [new URL(address).origin], maxBytes, signal },
    }),
}

/** WeChat takes one answer to a message, so nothing else is said. */
export const passive: WebhookPlatform<Me, WeChatSettings> = {
  ...wechat,
  limits: { ...wechat.limits, transcripts: false },
}

function readRefusal({ json }: PlatformAnswer): PlatformRefusal {
  const { errcode, errmsg = '' } = failure.safeParse(json).data ?? {}
  if (errcode === undefined) return {}
  // What stands behind is an id of the request, or the address of this machine.
  const reason = `${errmsg.split(/,? (?:hint|rid):/)[0]} (${errcode})`
  if (EXPIRED.includes(errcode)) return { kind: 'expired', reason }
  if (WRONG_SECRET.includes(errcode)) return { kind: 'logged-out', reason }
  return BUSY.includes(errcode) ? { kind: 'busy', reason, waitMs: WAIT_MS } : { kind: 'refused', reason }
}
