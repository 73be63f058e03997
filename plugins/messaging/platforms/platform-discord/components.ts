/** Choices under a message (discord.com/developers/docs/components/reference): rows of buttons, or menus. */
import type { MessageButton } from 'svc/sdk/platform'

const ROW = 1
const BUTTON = 2
const STRING_SELECT = 3
const STYLES = { primary: 1, plain: 2, danger: 4 } as const
const BUTTONS_A_ROW = 5
const BUTTON_LABEL = 80
const OPTION_LABEL = 100
/** More choices than these are a menu. */
const MAX_BUTTONS = 5
/** A message has five rows, each with five buttons or one menu with 25 options. */
const MAX_ROWS = 5
const MAX_OPTIONS = 25

/** The most choices in one message. */
export const MAX_CHOICES: number = MAX_ROWS * MAX_OPTIONS

export function createRows(buttons: readonly MessageButton[]) {
  return isMenu(buttons)
    ? chunk(buttons, MAX_OPTIONS).map((each, at, all) => row([createMenu(each, at, all.length)]))
    : chunk(buttons, BUTTONS_A_ROW).map((each) => row(each.map(createButton)))
}

/** A choice that has a colour, such as an approval, is never hidden in a menu. */
function isMenu(buttons: readonly MessageButton[]): boolean {
  if (buttons.length > MAX_ROWS * BUTTONS_A_ROW) return true
  return buttons.length > MAX_BUTTONS && buttons.every(({ style }) => style === undefined)
}

function row<Component>(components: readonly Component[]) {
  return { type: ROW as typeof ROW, components: [...components] }
}

function createButton({ value, label, style }: MessageButton) {
  const shown = [...label].slice(0, BUTTON_LABEL).join('')
  return { type: BUTTON as typeof BUTTON, style: STYLES[style ?? 'plain'], label: shown, custom_id: value }
}

/** Discord shows words of its own until something is chosen; of several menus each says which choices it has. */
function createMenu(choices: readonly MessageButton[], at: number, count: number) {
  const from = at * MAX_OPTIONS
  return {
    type: STRING_SELECT as typeof STRING_SELECT,
    custom_id: `svc-menu-${at}`,
    ...(count > 1 && { placeholder: `${from + 1}–${from + choices.length}` }),
    options: choices.map(createOption),
  }
}

function createOption({ value, label }: MessageButton) {
  const characters = [...label]
  if (characters.length <= OPTION_LABEL) return { value, label }
  const [shown, rest] = [
    characters.slice(0, OPTION_LABEL - 1),
    characters.slice(OPTION_LABEL - 1, 2 * OPTION_LABEL - 2),
  ]
  return { value, label: `${shown.join('')}…`, description: `…${rest.join('')}` }
}

function chunk<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
}
