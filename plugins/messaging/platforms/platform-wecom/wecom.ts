/** WeCom as a webhook platform, after developer.work.weixin.qq.com/document (application messages and group robots). */
import { measureSound } from 'svc/sdk/kit/files'
import { isRecent } from 'svc/sdk/kit/net'
import type {
  PlatformAnswer,
  PlatformApi,
  PlatformCall,
  PlatformContext,
  PlatformRefusal,
  WebhookPlatform,
} from 'svc/sdk/kit/platform'
import { beforeSending, deliveryRefused, type OutboundFile, type OutboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'
import { createSeal, readCall, readSealed } from './events.ts'

const token = z
  .object({ access_token: z.string().min(1), expires_in: z.number() })
  .transform((answer) => ({ token: answer.access_token, lifetimeMs: answer.expires_in * 1000 }))
const agent = z.object({ agentid: z.number(), name: z.string() })
const sent = z.object({ msgid: z.string().min(1), invaliduser: z.string().optional() })
const posted = z.object({ errcode: z.literal(0) })
const uploaded = z.object({ media_id: z.string().min(1) })
const failure = z.object({ errcode: z.number(), errmsg: z.string().optional() })

/** developer.work.weixin.qq.com/document/path/90313 */
const EXPIRED = [40014, 42001]
const WRONG_SECRET = [40001, 40013, 40091]
const BUSY = [-1, 45009, 45011, 45033]
const WAIT_MS = 1000
/** The group of the robot. */
export const ROBOT = 'robot'

export const wecom: WebhookPlatform<z.infer<typeof agent>> = {
  name: 'wecom',
  label: 'WeCom',
  hint: 'Answers are WeCom messages: write short plain paragraphs.',
  access: { users: 'WECOM_ALLOWED_USERS', everyone: 'WECOM_ALLOW_ALL_USERS', home: 'WECOM_HOME_CHANNEL' },
  limits: {
    maxTextLength: 2048,
    measure: 'bytes',
    // Its check for duplicates is by content: the same answer to two questions would be dropped.
    idempotency: 'none',
    files: 20_971_520,
    caption: 0,
    rate: { chat: { count: 30, perMs: 60_000 } },
  },
  baseUrl: 'https://qyapi.weixin.qq.com',
  port: 8645,
  path: '/webhooks/wecom',
  needs: ['WECOM_CORP_ID', 'WECOM_SECRET', 'WECOM_AGENT_ID', 'WECOM_TOKEN', 'WECOM_AES_KEY'],
  accountFrom: ['WECOM_CORP_ID', 'WECOM_AGENT_ID'],
  api: ({ secret }) => ({
    token: () => {
      const query = new URLSearchParams({ corpid: secret('WECOM_CORP_ID'), corpsecret: secret('WECOM_SECRET') })
      return { path: `/cgi-bin/gettoken?${query}`, answer: token }
    },
    query: (value) => ({ access_token: value }),
    isRefusal: ({ json }) => failure.safeParse(json).data?.errcode !== 0,
    refusal: readRefusal,
  }),
  identify: (api, { secret }) =>
    api.ask({ path: `/cgi-bin/agent/get?agentid=${encodeURIComponent(secret('WECOM_AGENT_ID'))}`, answer: agent }),
  isGenuine(request, context) {
    const [given = '', time = '', nonce = ''] = ['msg_signature', 'timestamp', 'nonce'].map(
      (name) => request.query.get(name) ?? '',
    )
    const isSigned = createSeal(context).isSigned([time, nonce, readSealed(request)], given)
    return isSigned && isRecent(time, context.clock.now())
  },
  checks: true,
  reply(request, context) {
    if (request.method !== 'GET') return undefined
    const text = createSeal(context).open(readSealed(request))
    return text === undefined ? { status: 400 } : { headers: { 'content-type': 'text/plain' }, body: text }
  },
  read: (request, { agentid }, context) => readCall(request, String(agentid), context),
  taken: { headers: { 'content-type': 'text/plain' }, body: 'success' },
  async send(message, api, context) {
    const { chatId, commit, files = [] } = message
    const [file] = files
    const content = file ? await upload(file, api, context) : { msgtype: 'text', text: { content: message.text } }
    if (chatId === ROBOT) return postToRobot(message, content, api, context)
    if (!/^[\w.@-]{1,64}$/.test(chatId))
      throw deliveryRefused('PLATFORM_REFUSED', `"${chatId}" is no user id of WeCom.`)
    const json = { touser: chatId, agentid: Number(context.secret('WECOM_AGENT_ID')), ...content }
    const { msgid, invaliduser } = await api.ask({ path: '/cgi-bin/message/send', json, commit, answer: sent })
    if (invaliduser)
      throw deliveryRefused('PLATFORM_REFUSED', `WeCom does not let the application write to "${chatId}".`)
    return { messageId: msgid }
  },
  fetch: ({ ref }, api, { address, maxBytes, signal }) =>
    api.fetch(`${address}/cgi-bin/media/get?media_id=${encodeURIComponent(ref)}`, {
      ...{ origins: [new URL(address).origin], maxBytes, signal },
    }),
}

/** A group robot is known by the key in its address, and answers without ids. */
async function postToRobot(
  { key: id, commit, files }: OutboundMessage,
  content: object,
  api: PlatformApi,
  { secret }: PlatformContext,
): Promise<{ readonly messageId: string }> {
  const key = secret('WECOM_ROBOT_KEY')
  if (key === '') throw deliveryRefused('PLATFORM_REFUSED', 'Set WECOM_ROBOT_KEY to the key of the group robot.')
  if (files?.length) throw deliveryRefused('PLATFORM_REFUSED', 'Files are sent to people, not to the group of a robot.')
  const path = `/cgi-bin/webhook/send?${new URLSearchParams({ key })}`
  await api.ask({ path, json: content, commit, answer: posted })
  return { messageId: `robot-${id}` }
}

/** Files are kept by WeCom for three days; one that was not sent is not seen. */
async function upload(file: OutboundFile, api: PlatformApi, _context: PlatformContext): Promise<object> {
  const bytes = await file.bytes()
  const type = chooseType(file, bytes)
  const call: PlatformCall<z.infer<typeof uploaded>> = {
    path: `/cgi-bin/media/upload?type=${type}`,
    upload: { files: { field: 'media', name: file.name, mediaType: file.mediaType, bytes } },
    answer: uploaded,
  }
  const { media_id: media } = await beforeSending(api.ask(call))
  return { msgtype: type, [type]: { media_id: media } }
}

/** Voice messages are AMR of at most 2 MB and 60 seconds (developer.work.weixin.qq.com/document/path/90253). */
function chooseType({ kind, mediaType, size, isVoice }: OutboundFile, bytes: Uint8Array): 'image' | 'voice' | 'file' {
  if (kind === 'image' && size <= 10_485_760 && /png|jpe?g/.test(mediaType)) return 'image'
  const length = isVoice && size <= 2_097_152 ? measureSound(bytes) : undefined
  return length?.format === 'amr' && length.ms <= 60_000 ? 'voice' : 'file'
}

function readRefusal({ status, json }: PlatformAnswer): PlatformRefusal {
  const { errcode, errmsg = '' } = failure.safeParse(json).data ?? {}
  if (errcode === undefined) return {}
  // What stands behind names addresses of this machine.
  const reason = `${errmsg.split(', hint')[0]} (${errcode})`
  if (EXPIRED.includes(errcode)) return { kind: 'expired', reason }
  if (WRONG_SECRET.includes(errcode)) return { kind: 'logged-out', reason }
  if (BUSY.includes(errcode)) return { kind: 'busy', reason, waitMs: WAIT_MS }
  return { reason, ...(status < 300 && { kind: 'refused' }) }
}
