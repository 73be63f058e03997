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

const MOST_CHARACTERS = 4096
const MOST_WITH_BUTTONS = 1024
const MOST_CAPTION = 1024
const MOST_BUTTONS = 3
const MOST_LABEL = 20
const MOST_ID = 256
const files = ['image', 'audio', 'video', 'document']

/** Why it is refused, in the words of `error_data.details`; undefined when it is not. */
export function problemOf(message: GraphMessage, has: (mediaId: string) => boolean): string | undefined {
  if (!/^\+?\d{5,20}$/.test(message.to ?? '')) return 'The parameter to is not a valid phone number'
  if (message.type === 'text' && message.text?.preview_url !== false)
    return 'This stand-in wants text.preview_url false'
  if (message.type === 'text') return lengthProblem('text.body', message.text?.body, MOST_CHARACTERS)
  if (message.type === 'interactive') return interactiveProblem(message.interactive)
  if (!files.includes(message.type ?? '')) return `Unknown message type ${message.type}`
  const file = message[message.type ?? ''] as { id?: string; caption?: string } | undefined
  if (!file?.id || !has(file.id)) return 'Media id is not valid'
  if (file.caption === undefined) return undefined
  return message.type === 'audio' ? 'Audio has no caption' : lengthProblem('caption', file.caption, MOST_CAPTION)
}

/** All choices, of buttons or of a list. */
export function choicesOf(
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
    lengthProblem('action.button', action?.button, MOST_LABEL) ??
    lengthProblem('interactive.body.text', body?.text, MOST_CHARACTERS)
  )
}

function interactiveProblem(interactive: GraphMessage['interactive']): string | undefined {
  if (interactive?.type === 'list') return listProblem(interactive)
  const buttons = (interactive?.action?.buttons ?? []).map(({ reply }) => reply)
  if (interactive?.type !== 'button' || buttons.length < 1 || buttons.length > MOST_BUTTONS)
    return `Buttons must be 1 to ${MOST_BUTTONS}`
  if (new Set(buttons.map(({ title }) => title)).size < buttons.length) return 'Button titles must be unique'
  if (new Set(buttons.map(({ id }) => id)).size < buttons.length) return 'Button ids must be unique'
  const wrong = buttons.map(
    ({ id, title }) => lengthProblem('title', title, MOST_LABEL) ?? lengthProblem('id', id, MOST_ID),
  )
  return wrong.find(Boolean) ?? lengthProblem('interactive.body.text', interactive.body?.text, MOST_WITH_BUTTONS)
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
