/**
 * Makes text of people, models, tools and files safe to print: it cannot move the cursor, set a title, or look like another
 * text. Sources: ECMA-48 for control characters, Unicode UAX #9 for characters that change the direction of text.
 */

const DIRECTION = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const LINE_UNSAFE = new RegExp(`[\\p{Cc}\\p{Cs}\\u2028\\u2029${DIRECTION}]+`, 'gu')
const BLOCK_UNSAFE = new RegExp(`[^\\P{Cc}\\n\\t]|[\\p{Cs}\\u2028\\u2029${DIRECTION}]`, 'gu')
const PIECE_UNSAFE = new RegExp(`[^\\P{Cc}\\n\\t]|[\\u2028\\u2029${DIRECTION}]`, 'gu')
const JSON_UNSAFE = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${DIRECTION}]`, 'g')
const NAME_UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
/** Characters that hide or reorder text. Joiners are not among them: emoji and some scripts need them. */
const HIDDEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u
/** The flags of England, Scotland and Wales are spelled with tag characters. Source: Unicode UTS #51. */
const TAGGED_FLAG = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8}\u{e007f}/gu

/** Text on one line: each run of unsafe characters becomes a space. Joined emoji stay whole. @since 0.1 */
export function safeLine(text: string): string {
  return text.replace(LINE_UNSAFE, ' ').trim()
}

/** Text with its line feeds and tabs: any other unsafe character becomes U+FFFD, and CRLF a line feed. @since 0.1 */
export function safeBlock(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(BLOCK_UNSAFE, '\ufffd')
}

/**
 * A piece of a stream, with its line feeds and tabs: any other unsafe character is removed. A surrogate pair may be split.
 * @since 0.1
 */
export function safePiece(text: string): string {
  return text.replace(PIECE_UNSAFE, '')
}

/**
 * The name of a person or a thing, on one line without any character that cannot be seen, of at most `maxLength` code points.
 * @since 0.1
 */
export function safeName(text: string, maxLength = 80): string {
  const seen = [...text.replace(NAME_UNSAFE, ' ').trim()]
  return seen.slice(0, maxLength).join('').trimEnd()
}

/**
 * The same text with each character that cannot be seen written as `\uXXXX`, line feeds included: for what a person must judge.
 * @since 0.1
 */
export function escapeUnseen(text: string): string {
  return text.replace(INVISIBLE, escapeUnits)
}

/**
 * Whether a text has characters that hide or reorder parts of it, so that a model reads what a person does not see.
 * @since 0.1
 */
export function hasHiddenText(text: string): boolean {
  return HIDDEN.test(text.replace(TAGGED_FLAG, ''))
}

/** JSON without any character that a terminal obeys. It parses to the same value. @since 0.1 */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(JSON_UNSAFE, escapeUnits)
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')
}
