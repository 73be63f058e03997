/** Text of strangers without what a terminal would obey. */
import { width } from './width.ts'

const TAB_STOP = 8
/**
 * Sequences as of ECMA-48: control strings (OSC, DCS, SOS, PM, APC) with their end, CSI with or without its end, other
 * escapes. A string is on one line, not
 * endless, and ends where the next begins, so that a search looks at nothing often.
 */
const SEQUENCE = new RegExp(
  [
    '(?:\\x1b\\]|\\x9d)[^\\n\\x07\\x1b\\x80-\\x9f]{0,4096}(?:\\x07|\\x1b\\\\|\\x9c)',
    '(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])[^\\n\\x1b\\x80-\\x9f]{0,4096}(?:\\x1b\\\\|\\x9c)',
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?',
    '\\x1b[ -/]*[0-~]?',
  ].join('|'),
  'g',
)
const HARMLESS = /^[\x20-\x7e\n]*$/
const LINE_END = /\r\n|[\u0085\u2028\u2029]/g
/** Controls but line feed and tab; what turns the reading direction round; soft hyphens, drawn by some terminals. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u202a-\u202e\u2066-\u2069]/g

/** Contract: `TextLayout.clean`. Line feeds stay; other ends of lines become one. Safe to apply twice. */
export function clean(text: string, controls: 'drop' | 'visible' = 'drop'): string {
  if (HARMLESS.test(text)) return text
  const whole = text.replace(/\p{Surrogate}/gu, '\ufffd').replace(LINE_END, '\n')
  const safe =
    controls === 'visible'
      ? whole.replace(CONTROL, showControl)
      : whole
          .replace(SEQUENCE, '')
          .replace(/\r+\n?/g, '\n')
          .replace(CONTROL, '')
  return safe.includes('\t') ? safe.split('\n').map(withoutTabs).join('\n') : safe
}

/** `␛` for an escape, `␛[` for a control that means the same in one character. */
function showControl(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  if (code < 0xa0) return `\u241b${String.fromCharCode(code - 0x40)}`
  return code === 0xad ? '' : `<U+${code.toString(16).toUpperCase()}>`
}

function withoutTabs(line: string): string {
  const [first = '', ...rest] = line.split('\t')
  let text = first
  let column = width(first)
  for (const part of rest) {
    const gap = TAB_STOP - (column % TAB_STOP)
    text += ' '.repeat(gap) + part
    column += gap + width(part)
  }
  return text
}
