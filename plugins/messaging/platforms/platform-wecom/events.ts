/** What WeCom calls with (developer.work.weixin.qq.com/document/path/90239): sealed XML. */
import type { PlatformContext } from 'svc/sdk/kit/platform'
import { MessageSeal, readXmlFields } from 'svc/sdk/kit/text'
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import type { HttpRequest } from 'svc/sdk/web'

export function createSeal({ secret }: PlatformContext): MessageSeal {
  return new MessageSeal({
    token: secret('WECOM_TOKEN'),
    key: secret('WECOM_AES_KEY'),
    receiver: secret('WECOM_CORP_ID'),
  })
}

/** What a request carries sealed: in the address, if it checks the address. */
export function readSealed({ method, query, body }: HttpRequest): string {
  if (method === 'GET') return query.get('echostr') ?? ''
  return readXmlFields(Buffer.from(body).toString('utf8'))['Encrypt'] ?? ''
}

const KINDS: Readonly<Record<string, readonly [ending: string, mediaType: string]>> = {
  image: ['jpg', 'image/jpeg'],
  voice: ['amr', 'audio/amr'],
  video: ['mp4', 'video/mp4'],
}

/** Undefined if it is no call to this application. Events, such as entering it, need no answer. */
export function readCall(
  request: HttpRequest,
  agent: string,
  context: PlatformContext,
): readonly Omit<InboundMessage, 'platform'>[] | undefined {
  const text = createSeal(context).open(readSealed(request))
  if (text === undefined) return undefined
  const {
    AgentID: agentId,
    FromUserName: userId,
    MsgId: messageId,
    MsgType: type = '',
    Content: content,
    MediaId: media,
    CreateTime: time,
  } = readXmlFields(text)
  if (agentId !== agent || !userId) return undefined
  if (!messageId) return []
  const seconds = Number(time)
  const origin = { chatId: userId, userId, messageId, ...(seconds > 0 && { at: seconds * 1000 }) }
  if (type === 'text' && content !== undefined) return [{ ...origin, text: content }]
  const file = media === undefined ? undefined : createFile(type, media)
  return file ? [{ ...origin, text: '', files: [file] }] : []
}

function createFile(type: string, ref: string): InboundFile | undefined {
  const [ending, mediaType] = KINDS[type] ?? []
  if (ending === undefined || mediaType === undefined) return undefined
  return { ref, name: `${type}.${ending}`, mediaType, ...(type === 'voice' && { isVoice: true }) }
}
