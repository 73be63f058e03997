/** Names of keys, from what terminals send for them. https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
import type { TerminalInput } from 'svc/sdk/terminal'

/** Modifiers as terminals count them, less one: bits for shift, alt, ctrl, super, hyper, meta. */
export type Modifiers = number
const SHIFT = 1
const ALT = 2 | 8 | 32
const CTRL = 4

export function key(name: string, modifiers: Modifiers = 0): TerminalInput {
  const prefix = (modifiers & CTRL ? 'C-' : '') + (modifiers & ALT ? 'M-' : '') + (modifiers & SHIFT ? 'S-' : '')
  return { type: 'key', name: prefix + name }
}

/** The same key with Alt. */
export function withAlt(name: string): TerminalInput {
  return { type: 'key', name: name.startsWith('C-') ? `C-M-${name.slice(2)}` : `M-${name}` }
}

/** `ESC [ <letter>`, `ESC O <letter>`. */
const letters: Readonly<Record<string, string>> = {
  ...{ A: 'up', B: 'down', C: 'right', D: 'left', E: 'clear', F: 'end', H: 'home' },
  ...{ P: 'f1', Q: 'f2', R: 'f3', S: 'f4' },
}
/** `ESC [ <number> ~`. */
const numbers: Readonly<Record<number, string>> = {
  ...{ 1: 'home', 2: 'insert', 3: 'delete', 4: 'end', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end' },
  ...{ 11: 'f1', 12: 'f2', 13: 'f3', 14: 'f4', 15: 'f5', 17: 'f6', 18: 'f7', 19: 'f8', 20: 'f9', 21: 'f10' },
  ...{ 23: 'f11', 24: 'f12', 29: 'menu' },
}
/** Keys with their own code in `ESC [ <code> u`. https://sw.kovidgoyal.net/kitty/keyboard-protocol */
const codes: Readonly<Record<number, string>> = {
  ...{ 8: 'backspace', 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' },
  ...{ 57414: 'enter', 57417: 'left', 57418: 'right', 57419: 'up', 57420: 'down', 57421: 'pageup', 57422: 'pagedown' },
  ...{ 57423: 'home', 57424: 'end', 57425: 'insert', 57426: 'delete', 57427: 'clear', 57363: 'menu' },
}
/** Characters of the number pad: 57399 and on there, `ESC O <letter>` from `p` on. */
const pad = '0123456789./*-+ =,'

/** A control character, or the delete character. */
export function controlKey(code: number, modifiers: Modifiers = 0): TerminalInput | undefined {
  if (code === 9) return key('tab', modifiers)
  if (code === 13) return key('enter', modifiers)
  if (code === 8 || code === 127) return key('backspace', modifiers)
  if (code === 0) return key('space', modifiers | CTRL)
  if (code < 27) return key(String.fromCharCode(code + 96), modifiers | CTRL)
  if (code > 27 && code < 32) return key(String.fromCharCode(code + 64), modifiers | CTRL)
  return undefined
}

/** A character, with modifiers: typed text when there is nothing but Shift. */
export function characterKey(character: string, modifiers: Modifiers): TerminalInput {
  const small = character.toLowerCase()
  if (!(modifiers & (ALT | CTRL))) {
    return { type: 'text', text: modifiers & SHIFT ? character.toUpperCase() : character }
  }
  if (character === ' ') return key('space', modifiers)
  return small === character ? key(character, modifiers) : key(small, modifiers | SHIFT)
}

/** A key by its number in Unicode or in the kitty protocol. */
export function codeKey(code: number, modifiers: Modifiers): TerminalInput | undefined {
  const name = codes[code]
  if (name !== undefined) return key(name, modifiers)
  if (code >= 57399 && code < 57399 + pad.length) return characterKey(pad.charAt(code - 57399), modifiers)
  if (code >= 57364 && code <= 57398) return key(`f${code - 57363}`, modifiers)
  const isPrivate = code >= 57344 && code <= 63743
  if (code < 32 || code > 0x10ffff || isPrivate || (code >= 0xd800 && code < 0xe000)) return undefined
  return characterKey(String.fromCodePoint(code), modifiers)
}

export function numberKey(number: number, modifiers: Modifiers): TerminalInput | undefined {
  const name = numbers[number]
  return name === undefined ? undefined : key(name, modifiers)
}

export function letterKey(letter: string, modifiers: Modifiers): TerminalInput | undefined {
  if (letter === 'Z') return key('tab', modifiers | SHIFT)
  const name = letters[letter]
  if (name !== undefined) return key(name, modifiers)
  // rxvt: small letters for arrows with Shift.
  const shifted = /^[a-e]$/.test(letter) ? letters[letter.toUpperCase()] : undefined
  return shifted === undefined ? undefined : key(shifted, modifiers | SHIFT)
}

/** `ESC O <letter>`: function keys, and the number pad in its application mode. */
export function padKey(letter: string, modifiers: Modifiers): TerminalInput | undefined {
  if (letter === 'M') return key('enter', modifiers)
  if (letter === 'I') return key('tab', modifiers)
  if (letter === 'X') return characterKey('=', modifiers)
  if (/^[a-e]$/.test(letter)) return key(letters[letter.toUpperCase()] ?? '', modifiers | CTRL)
  const index = letter.charCodeAt(0) - 'j'.charCodeAt(0)
  if (index >= 0 && index < 16) return characterKey('*+,-./0123456789'.charAt(index), modifiers)
  return letters[letter] === undefined ? undefined : key(letters[letter], modifiers)
}
