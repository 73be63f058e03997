/** Keys by name, as browsers tell pages of them: https://w3c.github.io/uievents-key/ */
import { SvcError } from 'svc/sdk'

/** What `Input.dispatchKeyEvent` wants to know of a key. */
export interface Key {
  readonly key: string
  readonly code: string
  readonly windowsVirtualKeyCode: number
  /** What it types. */
  readonly text?: string
}

/** A key and the modifiers that are held meanwhile, as the sum of their bits. */
export interface KeyStroke {
  readonly key: Key
  readonly modifiers: number
}

const NAMED: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Insert: 45,
  Delete: 46,
}
const OTHER_NAMES: Readonly<Record<string, string>> = {
  return: 'Enter',
  esc: 'Escape',
  del: 'Delete',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
}
const MODIFIERS: Readonly<Record<string, number>> = {
  alt: 1,
  option: 1,
  control: 2,
  ctrl: 2,
  meta: 4,
  cmd: 4,
  command: 4,
  shift: 8,
}
/** With these a key types nothing. */
const SILENT = 1 | 2 | 4
const SHIFT = 8

/** Reads `Enter`, `a`, `Control+Shift+a`; throws `BROWSER_BAD_KEY`. */
export function parseKey(typed: string): KeyStroke {
  const parts = typed === '+' ? ['+'] : typed.replace(/\+\+$/, '+Plus').split('+')
  const last = parts.pop() ?? ''
  let modifiers = 0
  for (const part of parts) {
    const bit = MODIFIERS[part.trim().toLowerCase()]
    if (bit === undefined) throw unknownKey(typed)
    modifiers |= bit
  }
  const key = namedKey(last) ?? characterKey(last === 'Plus' ? '+' : last, modifiers)
  if (!key) throw unknownKey(typed)
  const { text, ...silent } = key
  return { key: modifiers & SILENT ? silent : key, modifiers }
}

function namedKey(typed: string): Key | undefined {
  const wanted = typed.trim().toLowerCase()
  if (wanted === 'space' || typed === ' ') return { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' }
  const [, number] = /^f([1-9]|1[0-2])$/.exec(wanted) ?? []
  if (number) return { key: `F${number}`, code: `F${number}`, windowsVirtualKeyCode: 111 + Number(number) }
  const name = OTHER_NAMES[wanted] ?? Object.keys(NAMED).find((each) => each.toLowerCase() === wanted)
  if (name === undefined) return undefined
  const key = { key: name, code: name, windowsVirtualKeyCode: NAMED[name] ?? 0 }
  return name === 'Enter' ? { ...key, text: '\r' } : key
}

function characterKey(typed: string, modifiers: number): Key | undefined {
  if ([...typed].length !== 1) return undefined
  const character = modifiers & SHIFT ? typed.toUpperCase() : typed
  const upper = typed.toUpperCase()
  const code = /^[A-Z]$/.test(upper) ? `Key${upper}` : /^\d$/.test(typed) ? `Digit${typed}` : ''
  return { key: character, code, windowsVirtualKeyCode: code ? upper.charCodeAt(0) : 0, text: character }
}

function unknownKey(typed: string): SvcError {
  const examples = 'a character, Enter, Tab, Escape, Backspace, ArrowDown, PageDown, F5, Control+a'
  return new SvcError('BROWSER_BAD_KEY', `There is no key ${JSON.stringify(typed)}. Keys are ${examples}.`)
}
