/** The forms in which a secret can be written: what the mask looks for. Pure. */

/** Code of an ASCII letter or digit, without its case; 0 for everything else, which may stand between any two. */
export const FOLDED: Uint8Array = new Uint8Array(128)
for (let code = 0; code < 36; code++) {
  const char = code.toString(36)
  FOLDED[char.charCodeAt(0)] = code + 1
  FOLDED[char.toUpperCase().charCodeAt(0)] = code + 1
}

/** A form as a sequence of codes. At least `MIN_CODES` of them. */
export type Needle = Uint8Array

/** Fewer would match by chance. */
export const MIN_CODES = 6
/** A longer form is only looked for in pieces, so that a comparison is bounded. */
const MAX_WHOLE = 256
const LONG_PIECE = 32
/** Pieces of random text, so that a part of a secret is masked, too. */
const PIECE = { text: 12, hex: 24, base64: 16 } as const
/** Values with fewer letters and digits are words: only their very spelling is masked. */
const MIN_LOOSE = 8

/**
 * All forms: as written (any case, with anything between the characters), reversed, hexadecimal (in bytes and in
 * swapped pairs of them), and base64 at the three alignments without the edges that depend on the surrounding bytes.
 */
export function listForms(value: string): readonly Needle[] {
  const bytes = Buffer.from(value)
  const forms = isLoose(value) ? [...textForms(value), ...textForms([...value].reverse().join(''))] : []
  forms.push(...pieces(foldText(bytes.toString('hex')), PIECE.hex))
  for (const swapped of [swap(bytes), swap(bytes.subarray(1))])
    forms.push(...pieces(foldText(swapped.toString('hex')), PIECE.hex))
  for (const shift of [0, 1, 2]) forms.push(...pieces(foldText(base64Core(bytes, shift)), PIECE.base64))
  return forms.filter((form) => form.length >= MIN_CODES)
}

/** Whether the forms match the value as it is written, from its first to its last character. */
export function coversSpelling(value: string): boolean {
  const whole = foldText(value)
  return (
    isLoose(value) &&
    whole.length <= MAX_WHOLE &&
    /^[a-z0-9](?:.*[a-z0-9])?$/is.test(value) &&
    !/[^a-z0-9]{16}/i.test(value)
  )
}

function isLoose(value: string): boolean {
  const { length } = foldText(value)
  return length >= MIN_LOOSE || (length >= MIN_CODES && /\d/.test(value) && /[a-z]/i.test(value))
}

/** A secret that holds escapes itself is looked for with and without them. */
function textForms(text: string): Needle[] {
  const [plain, decoded] = [foldText(text), decodedCodes(text)]
  const both = plain.join() === decoded.join() ? [plain] : [plain, decoded]
  return both.flatMap((form) => pieces(form, PIECE.text))
}

function pieces(form: Needle, size: number): Needle[] {
  if (form.length > MAX_WHOLE) return cut(form, LONG_PIECE)
  return form.length < size * 2
    ? [form, ...cut(form, size).filter(isRandom)]
    : [form, ...cut(form, size).filter(isRandom)]
}

/** The last piece ends with the form. */
function cut(form: Needle, size: number): Needle[] {
  const found: Needle[] = []
  for (let from = 0; from + size <= form.length; from += size) found.push(form.subarray(from, from + size))
  if (form.length > size && form.length % size !== 0) found.push(form.subarray(form.length - size))
  return found
}

/** Words and paths are part of texts that have nothing to do with the secret; letters mixed with digits are not. */
function isRandom(piece: Needle): boolean {
  const digits = piece.filter((code) => code <= 10).length
  let changes = 0
  for (let at = 1; at < piece.length; at++) if (isDigit(piece[at]) !== isDigit(piece[at - 1])) changes++
  return digits >= 2 && changes >= 3
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code <= 10
}

function foldText(text: string): Needle {
  const codes: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = FOLDED[text.charCodeAt(at)] ?? 0
    if (code !== 0) codes.push(code)
  }
  return Uint8Array.from(codes)
}

function decodedCodes(text: string): Needle {
  const codes: number[] = []
  for (let at = 0; at < text.length; ) {
    const unit = decodedUnit(text, at)
    if (unit & 0xff) codes.push(unit & 0xff)
    at += unit >> 8
  }
  return Uint8Array.from(codes)
}

/** `od -x` and `hexdump` show the two bytes of a word in the order of the machine. */
function swap(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16()
}

/** The characters that depend on the secret alone, where `shift` bytes stand before it in its group of three. */
function base64Core(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  return text.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6))
}

const HEX = /^[0-9a-f]+$/i

const MAY_ESCAPE = new Uint8Array(128)
for (const char of '%\\&\u001b0') MAY_ESCAPE[char.charCodeAt(0)] = 1

/** Whether the character may be the start of an escape. */
export function mayEscape(char: number): boolean {
  return char < 128 && MAY_ESCAPE[char] === 1
}

/** The character at a position after unescaping: its code, plus 256 times the number of characters it takes. */
export function decodedUnit(text: string, at: number): number {
  const char = text.charCodeAt(at)
  if (char === 0x25) return percent(text, at)
  if (char === 0x5c) return backslash(text, at)
  if (char === 0x26) return entity(text, at)
  if (char === 0x1b) return encodeUnit(0, /^\x1b\[[0-9;?]*[@-~]/.exec(text.slice(at, at + 24))?.[0].length ?? 1)
  // 0x68, 0x65
  if (char === 0x30 && (text.charCodeAt(at + 1) | 32) === 0x78 && !FOLDED[text.charCodeAt(at - 1)])
    return encodeUnit(0, 2)
  return encodeUnit(char, 1)
}

/** `%68`, and `%2568` where that was encoded once more. */
function percent(text: string, at: number): number {
  let from = at + 1
  while (text.startsWith('25', from) && HEX.test(text.slice(from + 2, from + 4)) && from < at + 16) from += 2
  const digits = text.slice(from, from + 2)
  return digits.length === 2 && HEX.test(digits)
    ? encodeUnit(Number.parseInt(digits, 16), from + 2 - at)
    : encodeUnit(0, 1)
}

/** `\u0068`, `\x68`, `\150` and `\n`. Of a doubled backslash each is looked at alone. */
function backslash(text: string, at: number): number {
  const next = text[at + 1] ?? ''
  const size = next === 'u' ? 4 : next === 'x' ? 2 : 0
  const digits = text.slice(at + 2, at + 2 + size)
  if (size > 0 && digits.length === size && HEX.test(digits)) return encodeUnit(Number.parseInt(digits, 16), 2 + size)
  const octal = text.slice(at + 1, at + 4)
  if (/^[0-3][0-7]{2}$/.test(octal)) return encodeUnit(Number.parseInt(octal, 8), 4)
  return encodeUnit(0, /[abefnrtv]/.test(next) ? 2 : 1)
}

/** `&#104;`, `&#x68;` and `&amp;`. */
function entity(text: string, at: number): number {
  const found = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|amp|lt|gt|quot|apos|nbsp);/i.exec(text.slice(at, at + 12))
  if (!found) return encodeUnit(0, 1)
  const [whole, decimal, hex] = found
  return encodeUnit(decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : 0, whole.length)
}

function encodeUnit(char: number, length: number): number {
  return (length << 8) | (FOLDED[char] ?? 0)
}
