/** Texts that are written in another form: base64, hexadecimal, escapes, numbers, ROT13, backwards. */
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** A text or a program that another text contains in an encoded form. */
export interface DecodedText {
  /** How it was written, for people: `base64`. */
  readonly form: string
  readonly text: string
  /** Offset in the text that contains it. */
  readonly index: number
  readonly bytes?: Buffer
}

const MAX_FOUND = 200
const MAX_INFLATED = 2 ** 20
const MIN_TEXT = 8

export function decodeParts(text: string): DecodedText[] {
  const found = [
    ...base64Parts(text),
    ...hexParts(text),
    ...escapeParts(text),
    ...numberParts(text),
    ...base32Parts(text),
    ...turnedParts(text),
  ]
  return found.slice(0, MAX_FOUND)
}

/** Also when it is cut into quoted strings, one a line. */
function base64Parts(text: string): DecodedText[] {
  const joined = /(?:[A-Za-z0-9+/_-]{8,}={0,2}["'`]?\s*[+,.\\]?\s*["'`]?\s*){1,4000}/g
  return [...text.matchAll(joined)].flatMap(({ 0: found, index }) => {
    const lines = found.replace(/["'`\s,.\\]|(?<=["'`]\s*)\+|\+(?=\s*["'`])/g, '')
    const whole = decode('base64', lines, index)
    if (whole.length) return whole
    return [...found.matchAll(/[A-Za-z0-9+/_-]{16,}={0,2}/g)].flatMap((each) =>
      decode('base64', each[0], index + each.index),
    )
  })
}

function decode(form: string, letters: string, index: number): DecodedText[] {
  if (letters.length < 16 || /^[a-z]+$|^[A-Z_]+$|^[0-9]+$|^[\w-]*[_-][\w-]*$/.test(letters.replace(/=+$/, ''))) {
    if (letters.length < 40) return []
  }
  return fromBytes(form, Buffer.from(letters.replaceAll('-', '+').replaceAll('_', '/'), 'base64'), index)
}

function fromBytes(form: string, bytes: Buffer, index: number): DecodedText[] {
  if (bytes.length < MIN_TEXT) return []
  const inflated = inflate(bytes)
  if (inflated) return fromBytes(`compressed ${form}`, inflated, index)
  const wide = bytes.length > 16 && bytes.subarray(0, 64).every((byte, at) => at % 2 === 0 || byte === 0)
  const text = bytes.toString(wide ? 'utf16le' : 'utf8')
  if (isReadable(text)) return [{ form, text, index, bytes }]
  return isProgram(bytes) ? [{ form, text: '', index, bytes }] : []
}

function inflate(bytes: Buffer): Buffer | undefined {
  const options = { maxOutputLength: MAX_INFLATED }
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, options)
    if (bytes[0] === 0x78 && ((bytes[0] << 8) | (bytes[1] ?? 0)) % 31 === 0) return inflateSync(bytes, options)
    return undefined
  } catch {
    return inflateRaw(bytes)
  }
}

function inflateRaw(bytes: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(bytes, { maxOutputLength: MAX_INFLATED })
  } catch {
    return undefined
  }
}

function hexParts(text: string): DecodedText[] {
  const plain = [...text.matchAll(/(?<![\w#])(?:0x)?((?:[0-9A-Fa-f]{2}[\s:]?){12,})(?!\w)/g)]
  return plain.flatMap(({ 1: digits = '', index }) => {
    const bytes = Buffer.from(digits.replace(/[\s:]/g, ''), 'hex')
    return fromBytes('hexadecimal', bytes, index)
  })
}

const ESCAPE =
  /\\x([0-9A-Fa-f]{2})|\\u\{?([0-9A-Fa-f]{4,6})\}?|\\([0-3]?[0-7]{2})|%([0-9A-Fa-f]{2})|&#x([0-9A-Fa-f]{2,5});|&#([0-9]{2,6});/g
const ESCAPED = new RegExp(`(?:[^\\s"'\`\\\\%&]{0,3}(?:${ESCAPE.source})){4,}[^\\s"'\`]{0,80}`, 'g')

function escapeParts(text: string): DecodedText[] {
  return [...text.matchAll(ESCAPED)].flatMap(({ 0: found, index }) => {
    const decoded = unescapeText(found)
    return isReadable(decoded) ? [{ form: 'escapes', text: decoded, index }] : []
  })
}

/** Escapes of shells, Python, JavaScript, addresses and HTML as the characters that they stand for. */
export function unescapeText(text: string): string {
  return text.replace(ESCAPE, (all, hex, unicode, octal, percent, entity, decimal) => {
    const code = octal !== undefined ? Number.parseInt(octal, 8) : Number(decimal)
    const number = (octal ?? decimal) ? code : Number.parseInt(hex ?? unicode ?? percent ?? entity, 16)
    return number > 0 && number <= 0x10ffff ? String.fromCodePoint(number) : all
  })
}

/** `[99, 117, 114, 108]`, `chr(99) + chr(117)`, `[char]99`, `String.fromCharCode(99, 117)`. */
function numberParts(text: string): DecodedText[] {
  const lists = [...text.matchAll(/(?:\b(?:0x[0-9A-Fa-f]{2}|\d{2,3})\b[\s,]+){7,}(?:0x[0-9A-Fa-f]{2}|\d{2,3})\b/g)]
  const calls = [
    ...text.matchAll(/(?:(?:\bchr|\[char\]|\bchar)\s*\(?\s*(?:0x[0-9A-Fa-f]{2}|\d{2,3})\s*\)?[\s+.,&]*){3,}/gi),
  ]
  return [...lists, ...calls].flatMap(({ 0: found, index }) => {
    const codes = found.match(/0x[0-9A-Fa-f]{2}|\d{2,3}/g)?.map(Number) ?? []
    const decoded = codes.every((code) => code < 256) ? String.fromCharCode(...codes.slice(0, 60_000)) : ''
    return isReadable(decoded, 3) ? [{ form: 'numbers', text: decoded, index }] : []
  })
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function base32Parts(text: string): DecodedText[] {
  return [...text.matchAll(/\b[A-Z2-7]{24,}={0,6}/g)].flatMap(({ 0: found, index }) => {
    let buffer = 0
    let count = 0
    const bytes: number[] = []
    for (const letter of found.replace(/=+$/, '')) {
      buffer = ((buffer << 5) | BASE32.indexOf(letter)) & 0xffff
      count += 5
      if (count < 8) continue
      count -= 8
      bytes.push((buffer >> count) & 0xff)
    }
    return fromBytes('base32', Buffer.from(bytes), index)
  })
}

/** Words that only a text in ROT13 has, and that only one written backwards has. */
const ROT13 = /\b(?:uggcf?:\/\/|phey|jtrg|onfu|rkrp|riny|vzcbeg|flfgrz|vtaber|vafgehpgvbaf?|cnffjbeqf?|frperg|fhqb)\b/i
const BACKWARDS =
  /(?:\/\/:s?ptth|\blruc\b|\btegw\b|\bhsab\b|\bmetsys\b|\btropmi\b|\blave\b|\bcexe\b|\bsnoitcurtsni\b|\berongi\b)/i

function turnedParts(text: string): DecodedText[] {
  const lines = text.split('\n')
  let index = 0
  return lines.flatMap((line) => {
    const at = index
    index += line.length + 1
    const rot = ROT13.test(line) ? [{ form: 'ROT13', text: rot13(line), index: at }] : []
    const back = BACKWARDS.test(line) ? [{ form: 'backwards', text: [...line].reverse().join(''), index: at }] : []
    return [...rot, ...back]
  })
}

function rot13(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

function isReadable(text: string, min = MIN_TEXT): boolean {
  if (text.length < min) return false
  const sample = text.slice(0, 2000)
  const strange = [...sample].filter(
    (letter) => letter === '\uFFFD' || (letter < ' ' && !/\s/.test(letter)) || letter > '\u07FF',
  )
  return strange.length <= sample.length * 0.03 && /[a-z/]{2}/i.test(sample)
}

/** ELF, PE, Mach-O, an archive, or a class of Java, by the first bytes. */
export function isProgram(bytes: Uint8Array): boolean {
  if (bytes.length < 60) return false
  const magic = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  return /^(?:7f454c46|4d5a....|feedfac[ef]|c[ef]faedfe|cafebabe|0061736d)$/.test(magic)
}
