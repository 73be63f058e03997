/** What the Cloud API takes, and what people see of it (developers.facebook.com/docs/whatsapp/cloud-api/messages). */

/** A choice of a list. */
interface ListRow {
  readonly id: string
  readonly title: string
  readonly description?: string
}

/** A message as it is posted. */
export interface GraphMessage {
  readonly messaging_product?: string
  readonly status?: string
  readonly to?: string
  readonly recipient_type?: string
  readonly template?: {
    readonly name?: string
    readonly language?: { readonly code?: string }
    readonly components?: readonly {
      readonly type?: string
      readonly parameters?: readonly { readonly type?: string; readonly text?: string }[]
    }[]
  }
  readonly type?: string
  readonly text?: { readonly body?: string; readonly preview_url?: boolean }
  readonly interactive?: {
    readonly type?: string
    readonly body?: { readonly text?: string }
    readonly action?: {
      readonly button?: string
      readonly sections?: readonly { readonly title?: string; readonly rows?: readonly ListRow[] }[]
      readonly buttons?: readonly { readonly reply: { readonly id: string; readonly title: string } }[]
    }
  }
  readonly [kind: string]: unknown
}

const MAX_CHARACTERS = 4096
const MAX_WITH_BUTTONS = 1024
const MAX_CAPTION = 1024
const MAX_BUTTONS = 3
const MAX_LABEL = 20
const MAX_ID = 256
const MEBIBYTE = 2 ** 20
/** Types of each kind, and the most bytes (developers.facebook.com/docs/whatsapp/cloud-api/reference/media, "Supported media types"). */
const kinds: Readonly<Record<string, { readonly types: RegExp; readonly bytes: number }>> = {
  image: { types: /^image\/(jpeg|png)$/, bytes: 5 * MEBIBYTE },
  audio: { types: /^audio\/(aac|amr|mp4|mpeg|ogg; codecs=opus)$/, bytes: 16 * MEBIBYTE },
  video: { types: /^video\/(3gpp|mp4)$/, bytes: 16 * MEBIBYTE },
  document: { types: /./, bytes: 100 * MEBIBYTE },
}

/** A file that was uploaded. */
export interface StoredMedia {
  readonly type: string
  readonly bytes: Uint8Array
}

/** As `Groups` of the API gives them. */
const GROUP = /^[\w=-]{20,200}$/
/** The one that was approved, and its body. */
export const TEMPLATE = { name: 'svc_news', language: 'en_US', body: 'A message for you: {{1}}' } as const
const MAX_BODY = 1024

/** The words of a template with its variable filled in. */
export function templateText({ template }: GraphMessage): string | undefined {
  const text = template?.components?.[0]?.parameters?.[0]?.text
  return text === undefined ? undefined : TEMPLATE.body.replace('{{1}}', () => text)
}

/** .../guides/send-message-templates; .../support/error-codes has 132000, 132001, 132005 and 132018 */
function templateProblem(template: GraphMessage['template']): string | undefined {
  const { name, language, components = [] } = template ?? {}
  if (name !== TEMPLATE.name || language?.code !== TEMPLATE.language)
    return `template name (${name}) does not exist in ${language?.code}`
  const [body, ...others] = components
  const [variable, ...more] = body?.parameters ?? []
  if (body?.type !== 'body' || others.length > 0 || more.length > 0 || variable?.type !== 'text')
    return 'number of localizable_params does not match the expected number of params (1)'
  const { text = '' } = variable
  if (!text.trim()) return 'Param text must not be empty'
  if (/[\n\t]| {5,}/.test(text))
    return 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces'
  return TEMPLATE.body.length - 5 + text.length > MAX_BODY ? 'Translated text too long' : undefined
}

/** Why it is refused, in the words of `error_data.details`; undefined when it is not. */
export function findProblem(
  message: GraphMessage,
  stored: (mediaId: string) => StoredMedia | undefined,
): string | undefined {
  const isGroup = message.recipient_type === 'group'
  if (!(isGroup ? GROUP : /^\+?\d{5,20}$/).test(message.to ?? ''))
    return `The parameter to is not a valid ${isGroup ? 'group id' : 'phone number'}`
  if (message.type === 'template') return templateProblem(message.template)
  // Groups take texts, media and templates.
  if (isGroup && message.type === 'interactive') return 'Message type interactive is not supported in groups'
  if (message.type === 'text' && message.text?.preview_url !== false)
    return 'This stand-in wants text.preview_url false'
  if (message.type === 'text') return lengthProblem('text.body', message.text?.body, MAX_CHARACTERS)
  if (message.type === 'interactive') return interactiveProblem(message.interactive)
  return fileProblem(message, stored)
}

/** Upload and message must be of one kind; only sound as Opus in Ogg is a voice message, and sound has no caption. */
function fileProblem(message: GraphMessage, stored: (mediaId: string) => StoredMedia | undefined): string | undefined {
  const { type = '' } = message
  const kind = kinds[type]
  if (!kind) return `Unknown message type ${type}`
  const { id, caption, voice } = (message[type] ?? {}) as { id?: string; caption?: string; voice?: unknown }
  const media = id === undefined ? undefined : stored(id)
  if (!media) return 'Media id is not valid'
  if (!kind.types.test(media.type)) return `Unsupported ${type} mime type ${media.type}`
  if (media.bytes.length > kind.bytes) return `Media size exceeds the limit of ${type}`
  if (voice !== undefined && (voice !== true || !/^audio\/ogg/.test(media.type)))
    return 'Voice messages are Opus in Ogg'
  if (caption === undefined) return undefined
  return type === 'audio' ? 'Audio has no caption' : lengthProblem('caption', caption, MAX_CAPTION)
}

/** All choices, of buttons or of a list. */
export function listChoices(
  interactive: GraphMessage['interactive'],
): readonly { readonly id: string; readonly title: string }[] {
  const { buttons = [], sections = [] } = interactive?.action ?? {}
  return [...buttons.map(({ reply }) => reply), ...sections.flatMap(({ rows = [] }) => rows)]
}

/** .../messages/interactive-list-messages */
function listProblem({ action, body }: NonNullable<GraphMessage['interactive']>): string | undefined {
  const sections = action?.sections ?? []
  const rows = sections.flatMap((section) => section.rows ?? [])
  if (rows.length < 1 || rows.length > 10) return 'Total row count must be 1 to 10'
  if (sections.length > 1 && sections.some(({ title }) => !title)) return 'Sections must have a title'
  if (new Set(rows.map(({ id }) => id)).size < rows.length) return 'Row ids must be unique'
  const wrong = rows.map(({ id, title, description }) => {
    const below = description === undefined ? undefined : lengthProblem('description', description, 72)
    return lengthProblem('title', title, 24) ?? lengthProblem('id', id, 200) ?? below
  })
  return (
    wrong.find(Boolean) ??
    lengthProblem('action.button', action?.button, MAX_LABEL) ??
    lengthProblem('interactive.body.text', body?.text, MAX_CHARACTERS)
  )
}

function interactiveProblem(interactive: GraphMessage['interactive']): string | undefined {
  if (interactive?.type === 'list') return listProblem(interactive)
  const buttons = (interactive?.action?.buttons ?? []).map(({ reply }) => reply)
  if (interactive?.type !== 'button' || buttons.length < 1 || buttons.length > MAX_BUTTONS)
    return `Buttons must be 1 to ${MAX_BUTTONS}`
  if (new Set(buttons.map(({ title }) => title)).size < buttons.length) return 'Button titles must be unique'
  if (new Set(buttons.map(({ id }) => id)).size < buttons.length) return 'Button ids must be unique'
  const wrong = buttons.map(
    ({ id, title }) => lengthProblem('title', title, MAX_LABEL) ?? lengthProblem('id', id, MAX_ID),
  )
  return wrong.find(Boolean) ?? lengthProblem('interactive.body.text', interactive.body?.text, MAX_WITH_BUTTONS)
}

function lengthProblem(name: string, text: string | undefined, most: number): string | undefined {
  if (!text?.trim()) return `Parameter ${name} is required`
  return text.length > most ? `Param ${name} must be at most ${most} characters long.` : undefined
}

/** Marks at the borders of words are style; all others are text. */
export function visibleText(raw: string): string {
  return raw
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? part.replace(/^`+|`+$/g, '') : unstyled(part)))
    .join('')
}

function unstyled(text: string): string {
  return ['\\*', '_', '~'].reduce((words, mark) => {
    const styled = new RegExp(`(^|[^\\p{L}\\p{N}])${mark}(\\S|\\S[^\\n]*?\\S)${mark}(?![\\p{L}\\p{N}])`, 'gmu')
    return words.replace(styled, '$1$2')
  }, text)
}
