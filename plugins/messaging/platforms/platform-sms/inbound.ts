/** What Twilio posts of a message that came in (twilio.com/docs/messaging/guides/webhook-request). */
import type { InboundFile, InboundMessage } from 'svc/sdk/platform'

const MAX_FILES = 10

/** The message, `ignored` for one that needs no answer, `malformed` for an invalid request. */
export function readMessage(form: URLSearchParams, own: string): InboundMessage | 'ignored' | 'malformed' {
  const [from, to, messageId] = ['From', 'To', 'MessageSid'].map((name) => form.get(name)?.trim())
  if (!from || !to || !messageId) return 'malformed'
  const text = form.get('Body') ?? ''
  const files = listFiles(form)
  // Twilio itself answers STOP, START and HELP, and says so.
  const isAnswered = form.has('OptOutType')
  if (from === own || to !== own || isAnswered || (text.trim() === '' && files.length === 0)) return 'ignored'
  return { platform: 'sms', chatId: from, userId: from, messageId, text, ...(files.length > 0 && { files }) }
}

function listFiles(form: URLSearchParams): InboundFile[] {
  const count = Math.min(Number(form.get('NumMedia')) || 0, MAX_FILES)
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const mediaType = form.get(`MediaContentType${at}`) ?? ''
    const ending = /^\w+\/([\w-]+)/.exec(mediaType)?.[1]
    const name = `media-${at + 1}${ending ? `.${ending}` : ''}`
    return { ref: form.get(`MediaUrl${at}`) ?? '', name, ...(mediaType && { mediaType }) }
  }).filter(({ ref }) => ref !== '')
}
