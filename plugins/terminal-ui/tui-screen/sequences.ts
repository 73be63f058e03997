/** What an escape sequence that a terminal sent means. Pure. */
import type { TerminalInput } from 'svc/sdk/terminal'
import {
  characterKey,
  codeKey,
  controlKey,
  key,
  letterKey,
  type Modifiers,
  numberKey,
  padKey,
  withAlt,
} from './keys.ts'

/** A sequence that was read: nothing in it means that it is dropped. */
export interface Sequence {
  readonly length: number
  readonly input?: TerminalInput
  readonly beginsPaste?: true
}

/** Longer than any valid sequence: further bytes are noise. */
const MAX_PARAMETERS = 256
const MAX_ANSWER = 8192
const ESCAPE = '\x1b'

/** The sequence that begins with the escape character at `at`; undefined when its end is not there yet. */
export function readSequence(text: string, at: number): Sequence | undefined {
  const second = text[at + 1]
  if (second === undefined) return undefined
  if (second === '[') return readControl(text, at)
  if (second === 'O') return readPad(text, at)
  if (second === ESCAPE) return readTwice(text, at)
  const answer = answers[second]
  if (answer) {
    const third = text[at + 2]
    if (third === undefined) return undefined
    if (answer.test(third)) return readAnswer(text, at)
  }
  return altKey(text, at + 1)
}

/** What was typed if nothing follows: `ESC` and one character may be a key with Alt. */
export function lastResort(pending: string): readonly TerminalInput[] {
  if (pending === ESCAPE) return [key('escape')]
  if (pending.startsWith(ESCAPE + ESCAPE)) return [key('escape'), ...lastResort(pending.slice(1))]
  const alt = pending.length === 2 ? altKey(pending, 1).input : undefined
  return alt ? [alt] : []
}

/** Strings that terminals answer with, by what begins them: OSC, DCS, APC. Anything else is a key with Alt. */
const answers: Readonly<Record<string, RegExp>> = { ']': /\d/, P: /[\d>!{$+?=]/, _: /G/ }

function altKey(text: string, at: number): Sequence {
  const code = text.codePointAt(at) ?? 0
  const character = String.fromCodePoint(code)
  const input = code < 32 || code === 127 ? controlKey(code, 2) : characterKey(character, 2)
  return { length: 1 + character.length, ...(input && { input }) }
}

/** Escape twice: by hand, or rxvt's way to say Alt. */
function readTwice(text: string, at: number): Sequence | undefined {
  const third = text[at + 2]
  if (third === undefined) return undefined
  const alone: Sequence = { length: 1, input: key('escape') }
  if (third !== '[' && third !== 'O') return alone
  const inner = readSequence(text, at + 1)
  if (!inner) return undefined
  if (inner.input?.type !== 'key') return alone
  return { length: inner.length + 1, input: withAlt(inner.input.name) }
}

function readAnswer(text: string, at: number): Sequence | undefined {
  for (let end = at + 2; end < text.length; end++) {
    if (text[end] === '\x07') return { length: end + 1 - at }
    if (text[end] !== ESCAPE) continue
    if (end + 1 >= text.length) return undefined
    return { length: (text[end + 1] === '\\' ? end + 2 : end) - at }
  }
  return text.length - at > MAX_ANSWER ? { length: text.length - at } : undefined
}

function readPad(text: string, at: number): Sequence | undefined {
  const match = /(?:1;)?(\d*)([A-Za-z])?/y
  match.lastIndex = at + 2
  const [whole = '', modifier = '', letter] = match.exec(text) ?? []
  const end = at + 2 + whole.length
  if (letter === undefined) return end >= text.length && whole.length < 8 ? undefined : { length: end - at }
  const input = padKey(letter, modifier ? Number(modifier) - 1 : 0)
  return { length: end - at, ...(input && { input }) }
}

function readControl(text: string, at: number): Sequence | undefined {
  let end = at + 2
  // The Linux console: ESC [ [ A to E are the first five function keys.
  if (text[end] === '[') {
    const letter = text[end + 1]
    if (letter === undefined) return undefined
    const index = 'ABCDE'.indexOf(letter)
    return index < 0 ? { length: 3 } : { length: 4, input: key(`f${index + 1}`) }
  }
  while (end < text.length && isParameter(text, at + 2, end)) end++
  if (end - at > MAX_PARAMETERS) return { length: end - at }
  const final = text[end]
  if (final === undefined) return undefined
  // Not a sequence any more: what stands here is read on its own.
  if (final !== '$' && !/[@-~]/.test(final)) return { length: end - at }
  const parameters = text.slice(at + 2, end)
  if (final === 'M' && parameters === '') return end + 4 <= text.length ? { length: end + 4 - at } : undefined
  return { length: end + 1 - at, ...control(parameters, final) }
}

/** Parameters and what may stand between them and the end. rxvt ends keys with Shift by `$`. */
function isParameter(text: string, from: number, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0x20 || code > 0x3f) return false
  return text[at] !== '$' || !/^\d+$/.test(text.slice(from, at))
}

function control(parameters: string, final: string): { input?: TerminalInput; beginsPaste?: true } {
  if (parameters.startsWith('<') && (final === 'M' || final === 'm')) return toResult(mouse(parameters.slice(1), final))
  // Answers have a mark before or behind their parameters.
  if (/[^\d;:]/.test(parameters)) return {}
  if (parameters === '200' && final === '~') return { beginsPaste: true }
  if (parameters === '' && (final === 'I' || final === 'O')) return { input: { type: 'focus', on: final === 'I' } }
  const fields = parameters.split(';').map((field) => field.split(':'))
  const [first = 0, second = 1, third = 0] = fields.map(([field]) => (field ? Number(field) : undefined))
  const input = createKeyInput(first, Math.max(0, second - 1), third, final)
  // The kitty protocol: 3 is a key that was released, 2 one that repeats.
  return toResult(fields[1]?.[1] === '3' ? toRelease(input) : input)
}

function toResult(input: TerminalInput | undefined): { input?: TerminalInput } {
  return input ? { input } : {}
}

/** Of a character, too: it was typed as text when it was pressed. */
function toRelease(input: TerminalInput | undefined): TerminalInput | undefined {
  if (input?.type === 'key') return { ...input, released: true }
  return input?.type === 'text' ? { type: 'key', name: input.text, released: true } : undefined
}

function createKeyInput(first: number, modifiers: Modifiers, third: number, final: string): TerminalInput | undefined {
  if (final === '~') return first === 27 ? codeKey(third, modifiers) : numberKey(first, modifiers)
  if (final === 'u') return codeKey(first, modifiers)
  if (final === '$') return numberKey(first, 1)
  if (final === '^') return numberKey(first, 4)
  if (final === '@') return numberKey(first, 5)
  // Where a letter is a key, nothing or 1 stands first; other numbers are answers, such as where the cursor is.
  return first > 1 ? undefined : letterKey(final, modifiers)
}

/** SGR mouse reports: button; column; row, counted from 1. */
function mouse(parameters: string, final: string): TerminalInput | undefined {
  const [button, column, row] = parameters.split(';').map(Number)
  if (button === undefined || !column || !row) return undefined
  const action = mouseAction(button, final)
  return action && { type: 'mouse', action, row: row - 1, column: column - 1 }
}

function mouseAction(button: number, final: string) {
  if (button & 64) return (['wheel-up', 'wheel-down'] as const)[button & 3]
  // Moved while no button is held.
  if ((button & 35) === 35) return undefined
  if (button & 32) return 'drag'
  return final === 'M' ? 'press' : 'release'
}
