/** Blocks below the text of a message, and what the service refuses of them (docs.slack.dev/reference/block-kit). */

interface PlainText {
  readonly type: string
  readonly text: string
}

interface Option {
  readonly value: string
  readonly text: PlainText
  readonly description?: PlainText
}

/** A button, or a menu with options. */
interface Element {
  readonly type: string
  readonly style?: string
  readonly action_id: string
  readonly value: string
  readonly text: PlainText
  readonly placeholder?: PlainText
  readonly options: readonly Option[]
}

interface ActionRow {
  readonly type: string
  readonly elements?: readonly Element[]
}

/** What is below the text. */
export interface Attachment {
  readonly blocks?: readonly ActionRow[]
}

/** What a person can choose. */
export interface Choice {
  readonly label: string
  /** The action as an interaction tells it (.../interaction-payloads/block_actions-payload). */
  readonly action: object
}

/** All under a message. */
export function listChoices({ attachments }: { readonly attachments: readonly Attachment[] }): readonly Choice[] {
  return listElements(attachments).flatMap((element): readonly Choice[] => {
    if (element.type === 'button') return [{ label: element.text.text, action: element }]
    const { type, action_id, options } = element
    return options.map((option) => ({ label: option.text.text, action: { type, action_id, selected_option: option } }))
  })
}

function listElements(attachments: readonly Attachment[]): readonly Element[] {
  return attachments.flatMap(({ blocks = [] }) => blocks.flatMap(({ elements = [] }) => elements))
}

/** Rows of up to 25 buttons or menus (.../block-kit/blocks/actions-block). */
export function areBlocks(attachments: readonly Attachment[]): boolean {
  const blocks = attachments.flatMap((each) => each.blocks ?? [])
  const areRows = blocks.every(
    ({ type, elements: all }) => type === 'actions' && Array.isArray(all) && all.length >= 1 && all.length <= 25,
  )
  if (!areRows) return false
  const elements = listElements(attachments)
  const ids = new Set(elements.map(({ action_id }) => action_id))
  return ids.size === elements.length && elements.every((each) => isButton(each) || isMenu(each))
}

/** .../block-kit/block-elements/button-element */
function isButton({ type, action_id: id, value, text, style }: Element): boolean {
  const isNamed = isText(id, 255) && (value === undefined || isText(value, 2000))
  return (
    type === 'button' && isPlain(text, 75) && isNamed && (style === undefined || ['primary', 'danger'].includes(style))
  )
}

/** .../block-kit/block-elements/select-menu-element#static_select, .../composition-objects/option-object */
function isMenu({ type, action_id: id, placeholder, options, text, style, value }: Element): boolean {
  if (type !== 'static_select' || !isText(id, 255) || !Array.isArray(options)) return false
  if (text !== undefined || style !== undefined || value !== undefined) return false
  const isCount = options.length >= 1 && options.length <= 100
  const areDistinct = new Set(options.map((option: Option) => option.value)).size === options.length
  const isHint = placeholder === undefined || isPlain(placeholder, 150)
  return isCount && areDistinct && isHint && options.every(isOption)
}

function isOption({ value, text, description }: Option): boolean {
  return isText(value, 150) && isPlain(text, 75) && (description === undefined || isPlain(description, 75))
}

function isPlain(given: PlainText | undefined, most: number): boolean {
  return given?.type === 'plain_text' && isText(given.text, most)
}

function isText(given: unknown, most: number): boolean {
  return typeof given === 'string' && given.length >= 1 && given.length <= most
}
