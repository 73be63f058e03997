/** Messages as the Cloud API takes them: text, buttons and files (developers.facebook.com/docs/whatsapp/cloud-api/messages). */
import type { MessageButton, OutboundFile } from 'svc/sdk/platform'

/** Longest text of a message with buttons, longest caption, longest label of a button. */
const MAX_WITH_BUTTONS = 1024
export const MAX_CAPTION = 1024
const MAX_LABEL = 20
const MAX_BUTTONS = 3
/** The title and the description of a list row. */
const MAX_ROW = 24
const MAX_BELOW = 72
/** Opens the list. */
const LIST_LABEL = 'Options'

const MEBIBYTE = 2 ** 20

/** What the API shows as such, and how large it may be; all else is a document. */
const shown: Readonly<Record<string, { readonly kind: 'image' | 'audio' | 'video'; readonly bytes: number }>> = {
  'image/jpeg': { kind: 'image', bytes: 5 * MEBIBYTE },
  'image/png': { kind: 'image', bytes: 5 * MEBIBYTE },
  'audio/aac': { kind: 'audio', bytes: 16 * MEBIBYTE },
  'audio/amr': { kind: 'audio', bytes: 16 * MEBIBYTE },
  'audio/mp4': { kind: 'audio', bytes: 16 * MEBIBYTE },
  'audio/mpeg': { kind: 'audio', bytes: 16 * MEBIBYTE },
  'audio/ogg': { kind: 'audio', bytes: 16 * MEBIBYTE },
  'video/3gpp': { kind: 'video', bytes: 16 * MEBIBYTE },
  'video/mp4': { kind: 'video', bytes: 16 * MEBIBYTE },
}

/** The largest document, in bytes. */
export const MAX_FILE_BYTES: number = 100 * MEBIBYTE

export function createTextBody(body: string): object {
  return { type: 'text', text: { body, preview_url: false } }
}

/** The most choices in one message. */
export const MAX_CHOICES = 10

/**
 * Up to three choices are buttons, more of them a list that opens (.../messages/interactive-list-messages). Buttons stand under a
 * short text only: a longer one is sent before, with its end above them.
 */
export function createButtonBodies(body: string, buttons: readonly MessageButton[]): readonly object[] {
  if (buttons.length > MAX_BUTTONS) return [createListBody(body, buttons)]
  const [before, above] = body.length > MAX_WITH_BUTTONS ? cut(body) : ['', body]
  const action = {
    buttons: buttons.map(({ value, label }) => ({
      type: 'reply',
      reply: { id: value, title: shortenLabel(label, MAX_LABEL) },
    })),
  }
  const interactive = { type: 'interactive', interactive: { type: 'button', body: { text: above }, action } }
  return before === '' ? [interactive] : [createTextBody(before), interactive]
}

/** Groups take no buttons (developers.facebook.com/documentation/business-messaging/whatsapp/groups): choices are numbered. */
export function createNumberedBody(body: string, buttons: readonly MessageButton[]): object {
  return createTextBody([body, ...buttons.map(({ label }, at) => `${at + 1}. ${label}`)].join('\n'))
}

/** Text that does not fit into a row is put below it. */
function createListBody(body: string, buttons: readonly MessageButton[]): object {
  const rows = buttons.slice(0, MAX_CHOICES).map(({ value, label }) => {
    const isLong = label.length > MAX_ROW
    return {
      id: value,
      title: shortenLabel(label, MAX_ROW),
      ...(isLong && { description: shortenLabel(label, MAX_BELOW) }),
    }
  })
  const action = { button: LIST_LABEL, sections: [{ rows }] }
  return { type: 'interactive', interactive: { type: 'list', body: { text: body }, action } }
}

/** A file that was uploaded; a text that does not fit under it is sent before. */
export function createFileBodies(id: string, file: OutboundFile, size: number, body: string): readonly object[] {
  const known = shown[file.mediaType.split(';')[0]?.trim().toLowerCase() ?? '']
  const kind = known && size <= known.bytes && file.kind === known.kind ? known.kind : 'document'
  const fits = kind !== 'audio' && body.length <= MAX_CAPTION
  const caption = fits && body !== '' ? { caption: body } : {}
  const isNote = file.isVoice === true && known?.kind === 'audio' && /ogg/.test(file.mediaType)
  const more = {
    ...(kind === 'document' && { filename: file.name }),
    ...(kind === 'audio' && isNote && { voice: true }),
  }
  const message = { type: kind, [kind]: { id, ...caption, ...more } }
  return fits || body === '' ? [message] : [createTextBody(body), message]
}

/** Ogg is taken with its codec only (".../reference/media", "Supported media types"). */
function uploadType(mediaType: string): string {
  const [plain = ''] = mediaType.toLowerCase().split(';')
  if (plain.trim() === 'audio/ogg') return 'audio/ogg; codecs=opus'
  return /^[\w.+-]+\/[\w.+-]+$/.test(plain.trim()) ? plain.trim() : 'application/octet-stream'
}

/** A form with a file in it (RFC 7578). */
export function createUploadForm(
  file: OutboundFile,
  bytes: Uint8Array,
  boundary: string,
): { readonly body: Uint8Array; readonly type: string } {
  const name = file.name.replace(/["\r\n\\]/g, '_')
  const mediaType = uploadType(file.mediaType)
  const field = (key: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`
  const head = `${field('messaging_product', 'whatsapp')}${field('type', mediaType)}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${mediaType}\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { body, type: `multipart/form-data; boundary=${boundary}` }
}

/** At a line or a word where there is one near, and never within a character. */
function cut(body: string): readonly [string, string] {
  const tail = body.slice(-MAX_WITH_BUTTONS)
  const found = [tail.indexOf('\n'), tail.indexOf(' ')].find((at) => at >= 0 && at < MAX_WITH_BUTTONS - 1)
  const isHalf = /^[\udc00-\udfff]/.test(tail)
  const at = body.length - tail.length + (found === undefined ? Number(isHalf) : found + 1)
  return [body.slice(0, at).trimEnd(), body.slice(at)]
}

function shortenLabel(label: string, most: number): string {
  if (label.length <= most) return label
  return `${label.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
