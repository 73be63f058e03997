/** Names of keys: as the terminal gives them (`C-x`, `M-S-up`), and as people write them (`ctrl+x`, `Alt-Shift-Up`). */

const MODIFIERS: Readonly<Record<string, string>> = {
  ...{ c: 'C', ctrl: 'C', control: 'C' },
  ...{ m: 'M', alt: 'M', meta: 'M', option: 'M' },
  ...{ s: 'S', shift: 'S' },
}
/** Modifiers in the order in which a name has them. */
const ORDER = ['C', 'M', 'S']

const NAMED = [
  ...['enter', 'escape', 'tab', 'backspace', 'space', 'delete', 'insert', 'up', 'down', 'left', 'right'],
  ...['home', 'end', 'pageup', 'pagedown', 'clear', 'menu'],
]
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ return: 'enter', esc: 'escape', del: 'delete', ins: 'insert', pgup: 'pageup', pgdn: 'pagedown' },
  ...{ ' ': 'space', arrowup: 'up', arrowdown: 'down', arrowleft: 'left', arrowright: 'right' },
}

/** The name that `TerminalInput` has for a key; undefined if there is no such key. `Ctrl+G` is `C-g`. @since 0.2 */
export function parseKeyName(text: string): string | undefined {
  // The last character may be a separator itself: `ctrl++`, `C--`.
  const [, before = '', last = ''] = /^((?:[a-z]+[-+])*)([^-+]+|[-+])$/i.exec(text) ?? []
  const name = findName(last.toLowerCase())
  const given = before.toLowerCase().split(/[-+]/).filter(Boolean)
  const modifiers = given.map((word) => MODIFIERS[word])
  if (name === undefined || modifiers.includes(undefined)) return undefined
  return [...ORDER.filter((modifier) => modifiers.includes(modifier)), name].join('-')
}

/** Why a key cannot be bound, as a sentence's end; undefined if it can. */
export function findKeyProblem(text: string): string | undefined {
  const name = parseKeyName(text)
  if (name === undefined)
    return `has the key "${text}", which is not one. Write ctrl+, alt+ or shift+ before a character or one of: ${NAMED.join(', ')}, f1 to f35`
  if (/^(S-)?.$/u.test(name) || name === 'space')
    return `has the key "${text}", which people type as text. Write ctrl+ or alt+ before it`
  return undefined
}

function findName(name: string): string | undefined {
  const known = OTHER_NAMES[name] ?? name
  const number = /^f([1-9]\d?)$/.exec(known)?.[1]
  if (number !== undefined) return Number(number) <= 35 ? known : undefined
  return NAMED.includes(known) || [...known].length === 1 ? known : undefined
}
