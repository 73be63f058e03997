/** Buttons and menus under a message, and what Discord refuses of them (discord.com/developers/docs/components/reference). */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import { wrongForm } from './problems.ts'

interface Option {
  readonly value: string
  readonly label: string
}

/** A button, or a menu. */
interface Component {
  readonly type: number
  readonly custom_id: string
  readonly label?: string
  readonly options?: readonly Option[]
}

export interface Row {
  readonly components: readonly Component[]
}

/** What a person can choose. */
export interface Choice {
  readonly label: string
  /** As an interaction tells it (.../interactions/receiving-and-responding, "Message Component Data Structure"). */
  readonly data: object
}

export function listChoices({ components }: { readonly components: readonly Row[] }): readonly Choice[] {
  return components
    .flatMap((row) => row.components)
    .flatMap(({ type: component_type, custom_id, label = '', options }): readonly Choice[] => {
      if (!options) return [{ label, data: { component_type, custom_id } }]
      return options.map((each) => ({ label: each.label, data: { component_type, custom_id, values: [each.value] } }))
    })
}

type Data = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]
/** A field, and what is wrong with it. */
type Wrong = readonly [path: Path, code: string, message: string]

const [BUTTON, STRING_SELECT] = [2, 3]
/** Primary, secondary, success and danger: those that come back to the bot. */
const STYLES = [1, 2, 3, 4]
const REQUIRED = ['BASE_TYPE_REQUIRED', 'This field is required'] as const

export function wrongComponents(given: unknown): ServiceAnswer | undefined {
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given))
    return wrongForm(['components'], 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')
  if (given.length > 5) return wrongForm(['components'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.')
  const [wrong] = (given as Data[]).flatMap((row, at) => wrongRow(row).map((each) => under(['components', at], each)))
  if (wrong) return wrongForm(...wrong)
  const ids = (given as { components: Data[] }[]).flatMap(({ components }) =>
    components.map((each) => each['custom_id']),
  )
  const isTwice = new Set(ids).size < ids.length
  if (!isTwice) return undefined
  return wrongForm(['components'], 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated')
}

const under = (path: Path, [rest, ...what]: Wrong): Wrong => [[...path, ...rest], ...what]

function wrongRow({ type, components }: Data): readonly Wrong[] {
  if (type === undefined) return [[['type'], ...REQUIRED]]
  if (type !== 1) return [[['type'], 'BASE_TYPE_CHOICES', 'Value must be one of (1,).']]
  if (!Array.isArray(components) || components.length < 1 || components.length > 5)
    return [[['components'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.']]
  // A menu takes the width of a row.
  if (components.length > 1 && (components as Data[]).some((each) => each['type'] === STRING_SELECT))
    return [[['components'], 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width']]
  return (components as Data[]).flatMap((each, at) =>
    wrongComponent(each).map((wrong) => under(['components', at], wrong)),
  )
}

function wrongComponent(component: Data): readonly Wrong[] {
  const { type, custom_id: id } = component
  if (type === undefined) return [[['type'], ...REQUIRED]]
  if (type !== BUTTON && type !== STRING_SELECT)
    return [[['type'], 'BASE_TYPE_CHOICES', 'This stand-in knows buttons (2) and menus (3) only.']]
  if (id === undefined) return [[['custom_id'], ...REQUIRED]]
  return [...wrongText('custom_id', id, 100), ...(type === BUTTON ? wrongButton(component) : wrongMenu(component))]
}

function wrongButton({ style, label }: Data): readonly Wrong[] {
  if (style === undefined) return [[['style'], ...REQUIRED]]
  if (!STYLES.includes(Number(style)))
    return [[['style'], 'BASE_TYPE_CHOICES', 'Value must be one of (1, 2, 3, 4, 5, 6).']]
  return wrongText('label', label, 80)
}

/** "String Select" and "Select Option". */
function wrongMenu({ options, placeholder }: Data): readonly Wrong[] {
  if (!Array.isArray(options)) return [[['options'], ...REQUIRED]]
  if (options.length < 1 || options.length > 25)
    return [[['options'], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 25 in length.']]
  const values = new Set((options as Data[]).map(({ value }) => value))
  if (values.size < options.length)
    return [[['options'], 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', 'The specified option value is already used']]
  const wrong = (options as Data[]).flatMap(({ value, label, description }, at) =>
    [
      ...wrongText('value', value, 100),
      ...wrongText('label', label, 100),
      ...(description === undefined ? [] : wrongText('description', description, 100)),
    ].map((each) => under(['options', at], each)),
  )
  return [...wrong, ...(placeholder === undefined ? [] : wrongText('placeholder', placeholder, 150))]
}

function wrongText(name: string, given: unknown, most: number): readonly Wrong[] {
  const isRight = typeof given === 'string' && given.length >= 1 && given.length <= most
  return isRight ? [] : [[[name], 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${most} in length.`]]
}
