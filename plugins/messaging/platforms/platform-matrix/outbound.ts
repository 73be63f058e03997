/** From a message to the content of an event (spec.matrix.org/latest/client-server-api, m.room.message). */
import type { OutboundFile, OutboundMessage, OutboundMessageEdit } from 'svc/sdk/platform'
import { createChoices, withChoices } from './choices.ts'
import { isMarked, plainText, withBreaks } from './html.ts'
import type { UploadedFile } from './media.ts'

type Content = Record<string, unknown>

/** With a caption when the file has a text. `uploaded` is where it is. */
export function createContent(message: OutboundMessage, uploaded?: UploadedFile): Content {
  const { files: [file] = [], buttons = [] } = message
  const { text, field } = withChoices(message.text, createChoices(buttons))
  const content = file && uploaded ? fileContent(file, text, uploaded) : textContent(text)
  return { ...content, ...field, ...createRelation(message) }
}

/** Clients that do not know edits show the text with a star. */
export function editContent({ text: words, messageId, buttons = [] }: OutboundMessageEdit): Content {
  const { text, field } = withChoices(words, createChoices(buttons))
  const content = { ...textContent(text), ...field }
  return {
    ...content,
    body: `* ${content['body']}`,
    ...(content['formatted_body'] !== undefined && { formatted_body: `* ${content['formatted_body']}` }),
    'm.new_content': content,
    'm.relates_to': { rel_type: 'm.replace', event_id: messageId },
  }
}

function textContent(text: string): Content {
  return { msgtype: 'm.text', 'm.mentions': {}, ...bodies(text) }
}

function bodies(text: string): Content {
  const body = plainText(text)
  if (!isMarked(text)) return { body }
  return { body, format: 'org.matrix.custom.html', formatted_body: withBreaks(text) }
}

function fileContent(file: OutboundFile, text: string, { url, key, sound }: UploadedFile): Content {
  const msgtype = file.kind === 'document' ? 'm.file' : `m.${file.kind}`
  const caption = text === '' ? { body: file.name } : bodies(text)
  const info = { mimetype: file.mediaType, size: file.size, ...(sound && { duration: sound.duration }) }
  const place = key ? { file: { ...key, url } } : { url }
  return {
    ...{ msgtype, 'm.mentions': {}, ...caption, filename: file.name, ...place, info },
    // Shown as a voice message (github.com/matrix-org/matrix-spec-proposals/pull/3245); others play a sound.
    ...(file.isVoice &&
      msgtype === 'm.audio' && { 'org.matrix.msc3245.voice': {}, 'org.matrix.msc1767.audio': { ...sound } }),
  }
}

function createRelation({ threadId, replyTo }: OutboundMessage): Content {
  if (threadId)
    return {
      'm.relates_to': {
        rel_type: 'm.thread',
        event_id: threadId,
        is_falling_back: replyTo === undefined,
        'm.in_reply_to': { event_id: replyTo ?? threadId },
      },
    }
  return replyTo ? { 'm.relates_to': { 'm.in_reply_to': { event_id: replyTo } } } : {}
}
