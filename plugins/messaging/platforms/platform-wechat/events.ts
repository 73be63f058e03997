/** What WeChat calls with (developers.weixin.qq.com/doc/offiaccount/Message_Management): XML, sealed if the account says so. */
import type { PlatformContext } from 'svc/sdk/kit/platform'
import { MessageSeal, readXmlFields, writeXmlFields } from 'svc/sdk/kit/text'
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import type { HttpRequest, HttpResponse } from 'svc/sdk/web'

export function createSeal({ secret }: PlatformContext): MessageSeal {
  return new MessageSeal({
    token: secret('WECHAT_TOKEN'),
    key: secret('WECHAT_AES_KEY'),
    receiver: secret('WECHAT_APP_ID'),
  })
}

export function readParameters({ query }: HttpRequest) {
  const [signature = '', sealed = '', time = '', nonce = ''] = ['signature', 'msg_signature', 'timestamp', 'nonce'].map(
    (name) => query.get(name) ?? '',
  )
  return { signature, sealed, time, nonce, isSealed: query.get('encrypt_type') === 'aes' }
}

export function readEncrypted({ body }: HttpRequest): string {
  return readXmlFields(Buffer.from(body).toString('utf8'))['Encrypt'] ?? ''
}

/** The fields of a call; undefined if it is sealed for another account or malformed. */
export function readCall(request: HttpRequest, context: PlatformContext): Readonly<Record<string, string>> | undefined {
  const { isSealed } = readParameters(request)
  // An account with a key takes no open messages: a stranger could write them after an old address.
  if (isSealed !== (context.secret('WECHAT_AES_KEY') !== '')) return undefined
  const text = isSealed ? createSeal(context).open(readEncrypted(request)) : Buffer.from(request.body).toString('utf8')
  const fields = text === undefined ? {} : readXmlFields(text)
  return fields['FromUserName'] && fields['MsgType'] ? fields : undefined
}

const KINDS: Readonly<Record<string, readonly [ending: string, mediaType: string]>> = {
  image: ['jpg', 'image/jpeg'],
  voice: ['amr', 'audio/amr'],
  video: ['mp4', 'video/mp4'],
}

/** Events, such as a new follower, need no answer. */
export function toMessage(fields: Readonly<Record<string, string>>): Omit<InboundMessage, 'platform'> | undefined {
  const { FromUserName: userId = '', MsgId: messageId, MsgType: type = '', Content: text, MediaId: media } = fields
  const seconds = Number(fields['CreateTime'])
  const origin = { chatId: userId, userId, ...(seconds > 0 && { at: seconds * 1000 }) }
  if (!messageId) return undefined
  if (type === 'text' && text !== undefined) return { ...origin, messageId, text }
  const [ending, mediaType] = KINDS[type] ?? []
  if (media === undefined || ending === undefined || mediaType === undefined) return undefined
  // What WeChat understood of speech comes along where the account has switched that on.
  const heard = type === 'voice' ? (fields['Recognition']?.trim() ?? '') : ''
  const file: InboundFile = {
    ...{ ref: media, name: `${type}.${ending}`, mediaType },
    ...(type === 'voice' && { isVoice: true }),
    ...(heard !== '' && { isTranscribed: true }),
  }
  return { ...origin, messageId, text: heard, files: [file] }
}

/** A text in the reply to a call, sealed as the call was. */
export function createReply(request: HttpRequest, text: string, context: PlatformContext): HttpResponse {
  const call = readCall(request, context) ?? {}
  const seconds = String(Math.floor(context.clock.now() / 1000))
  const open = writeXmlFields({
    ...{ ToUserName: call['FromUserName'] ?? '', FromUserName: call['ToUserName'] ?? '' },
    ...{ CreateTime: seconds, MsgType: 'text', Content: text },
  })
  const headers = { 'content-type': 'application/xml; charset=utf-8' }
  if (!readParameters(request).isSealed) return { headers, body: open }
  const seal = createSeal(context)
  const encrypt = seal.close(open, Buffer.from(context.random.hex(16), 'hex'))
  const nonce = context.random.hex(8)
  const body = writeXmlFields({
    ...{ Encrypt: encrypt, MsgSignature: seal.sign([seconds, nonce, encrypt]), TimeStamp: seconds, Nonce: nonce },
  })
  return { headers, body }
}
