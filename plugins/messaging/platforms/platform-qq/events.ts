/** What QQ calls with (bot.q.qq.com/wiki/develop/api-v2/server-inter/message/send-receive/event.html). */
import { tryParseJson } from 'svc/sdk'
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'
import { z } from 'zod'

/** Opcodes: an event, and a check of the address. */
const DISPATCH = 0
const CHECK = 13

const call = z.object({ op: z.number(), t: z.string().optional(), d: z.unknown() })
const check = z.object({ plain_token: z.string(), event_ts: z.string() })
const message = z.object({
  id: z.string().min(1),
  content: z.string(),
  timestamp: z.string(),
  group_openid: z.string().optional(),
  author: z.object({ user_openid: z.string().optional(), member_openid: z.string().optional() }),
  attachments: z
    .array(
      z.object({
        content_type: z.string().optional(),
        filename: z.string().optional(),
        size: z.number().optional(),
        url: z.string().optional(),
        voice_wav_url: z.string().optional(),
        asr_refer_text: z.string().optional(),
      }),
    )
    .nullish(),
})

function readBody(body: Uint8Array): z.infer<typeof call> | undefined {
  return call.safeParse(tryParseJson(Buffer.from(body).toString('utf8'))?.value).data
}

/** What is asked in a check of the address. */
export function readCheck(body: Uint8Array): z.infer<typeof check> | undefined {
  const read = readBody(body)
  return read?.op === CHECK ? check.safeParse(read.d).data : undefined
}

/** Undefined if it is no call of QQ. Other events, such as being added to a group, need no answer. */
export function readEvents(body: Uint8Array): readonly Omit<InboundMessage, 'platform'>[] | undefined {
  const read = readBody(body)
  if (!read) return undefined
  if (read.op !== DISPATCH) return []
  const known = message.safeParse(read.d).data
  const isPrivate = read.t === 'C2C_MESSAGE_CREATE'
  if (!known || !(isPrivate || read.t === 'GROUP_AT_MESSAGE_CREATE')) return []
  const { id: messageId, content, author, group_openid: group } = known
  const userId = isPrivate ? author.user_openid : author.member_openid
  const at = Date.parse(known.timestamp)
  const { files, heard } = readAttachments(known)
  const text = [content.trim(), heard].filter((each) => each !== '').join('\n')
  if (!userId || (text === '' && files.length === 0)) return []
  const origin = { userId, messageId, text, ...(files.length > 0 && { files }), ...(Number.isFinite(at) && { at }) }
  if (isPrivate) return [{ ...origin, chatId: `user:${userId}` }]
  return group ? [{ ...origin, chatId: `group:${group}`, chatKind: 'group', isMention: true }] : []
}

type Attachment = NonNullable<z.infer<typeof message>['attachments']>[number]

/** What came along, and what QQ understood of speech. */
function readAttachments({ attachments }: z.infer<typeof message>): {
  readonly files: readonly InboundFile[]
  readonly heard: string
} {
  const all = attachments ?? []
  const files = all.flatMap((each) => (each.content_type === 'voice' ? readVoice(each) : readFile(each)))
  const heard = all.map((each) => (each.content_type === 'voice' ? readWords(each) : ''))
  return { files, heard: heard.filter((words) => words !== '').join('\n') }
}

/** Speech is SILK, and mostly comes as WAV, too. */
function readVoice(each: Attachment): readonly InboundFile[] {
  const { url, voice_wav_url: wav, size } = each
  const isTranscribed = readWords(each) === '' ? {} : ({ isTranscribed: true } as const)
  if (wav) return [{ ref: withScheme(wav), name: 'voice.wav', mediaType: 'audio/wav', isVoice: true, ...isTranscribed }]
  const known = size === undefined ? {} : { size }
  const silk = { name: 'voice.silk', mediaType: 'audio/silk', isVoice: true, ...known, ...isTranscribed }
  return url ? [{ ref: withScheme(url), ...silk }] : []
}

function readWords({ asr_refer_text: words = '' }: Attachment): string {
  return words.trim()
}

function readFile({ url, filename: name = 'file', content_type: type = '', size }: Attachment): readonly InboundFile[] {
  const mediaType = /^[\w-]+\/[\w.+-]+$/.test(type) ? { mediaType: type } : {}
  return url ? [{ ref: withScheme(url), name, ...mediaType, ...(size !== undefined && { size }) }] : []
}

/** Some addresses come without one. */
function withScheme(address: string): string {
  return address.replace(/^\/\//, 'https://')
}
