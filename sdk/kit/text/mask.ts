/**
 * Replaces secrets in a text, however they are written. One pass over the text finds where a form of a secret could
 * begin; only there the forms are compared, so the cost does not grow with the number of secrets.
 */
import { coversSpelling, decodedUnit, FOLDED, listForms, mayEscape, type Needle } from './secret-forms.ts'

/** Codes that choose the forms to compare, six bits each. */
const KEY_CODES = 5
const KEY_BITS = 0x3fffffff
/** The filter: a byte for the hash of each key. */
const HASH = 0x9e3779b1
const FILTER_SHIFT = 15
/** Characters that may stand between two of a secret: line breaks, indentation, separators. */
const MAX_GAP = 24
/** Of a character that may begin an escape. */
const ESCAPE = 255
const READ = Uint8Array.from(FOLDED, (code, char) => (mayEscape(char) ? ESCAPE : code))
const STARS = '***'

/** What is written in another way than character by character. */
const ESCAPED = /[%\\&\u001b]|0x/i
/** `12<tab>text` and `12: text`: line numbers of programs. */
const NUMBERED = /^[ \t]*\d+(?:\t|[:|] ?)/gm
// Two such lines in a row: a secret within one line is found without this.
const HAS_NUMBER = /(?:^|\n)[ \t]*\d+[\t:|][^\n]*\n[ \t]*\d+[\t:|]/
/** `0000010: 6865 6c6c` */
const ADDRESSED = /^[0-9a-f]{6,16}:?[ \t]+/gim
const HAS_ADDRESS = /(?:^|\n)[0-9a-f]{6,16}:?[ \t]/i
/** A line of a dump: its address, the bytes, and what they look like. */
const DUMPED = /^([0-9a-f]{6,16}:?[ \t]+)((?:[0-9a-f]{2,8} {1,2}){0,15}[0-9a-f]{2,8})(?: .*)?$/gim

/** From the first character to the one behind the last. */
type Range = readonly [start: number, end: number]

/** A part of a text that is searched without its surroundings. `hides` is what is masked for any match in it. */
interface Stretch {
  readonly start: number
  readonly end: number
  readonly hides?: Range
}

/** Values that must not be seen: `values` anywhere and in any form, `words` only as whole words. @since 0.2 */
export function compileMask(values: readonly string[], words: readonly string[]): (text: string) => string {
  const exact = values.filter((value) => !coversSpelling(value))
  const finder = new Finder(values.flatMap(listForms))
  const word = words.length > 0 ? wordPattern(words) : undefined
  return (text) => {
    const found = finder.find(text)
    for (const value of exact)
      for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
        found.push([at, at + value.length])
    if (word) for (const { index, 0: match } of text.matchAll(word)) found.push([index, index + match.length])
    return found.length === 0 ? text : replaceRanges(text, found)
  }
}

function wordPattern(words: readonly string[]): RegExp {
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${escaped.join('|')})(?![\\p{L}\\p{N}_])`, 'gu')
}

class Finder {
  readonly #filter = new Uint8Array(2 ** (32 - FILTER_SHIFT))
  readonly #byKey: Map<number, Needle[]> = new Map()

  constructor(needles: readonly Needle[]) {
    const known = new Set<string>()
    for (const needle of needles) {
      const spelled = needle.join()
      if (known.has(spelled)) continue
      known.add(spelled)
      const key = needle.subarray(0, KEY_CODES).reduce((sum, code) => ((sum << 6) | code) & KEY_BITS, 0)
      this.#filter[Math.imul(key, HASH) >>> FILTER_SHIFT] = 1
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), needle])
    }
  }

  find(text: string): Range[] {
    if (this.#byKey.size === 0) return []
    const found = this.#inText(text)
    if (HAS_NUMBER.test(text)) found.push(...this.#across(text, splitAround(text, NUMBERED)))
    if (HAS_ADDRESS.test(text))
      found.push(...this.#across(text, splitAround(text, ADDRESSED)), ...this.#across(text, findDumpBytes(text)))
    return found
  }

  #inText(text: string): Range[] {
    const found: Range[] = []
    this.#scan(text, found)
    if (ESCAPED.test(text)) this.#scanDecoded(text, found)
    return found
  }

  /** The text of the stretches, joined. */
  #across(text: string, stretches: readonly Stretch[]): Range[] {
    const joined = stretches.map(({ start, end }) => text.slice(start, end)).join('')
    const found: Range[] = []
    let [first, before] = [0, 0]
    for (const [start, end] of this.#inText(joined).sort((a, b) => a[0] - b[0])) {
      const length = (at: number) => measureStretch(stretches[at])
      while (before + length(first) <= start) before += length(first++)
      for (let [at, offset] = [first, before]; offset < end; offset += length(at++)) {
        const stretch = stretches[at] as Stretch
        const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, length(at))]
        found.push(stretch.hides ?? [stretch.start + from, stretch.start + to])
      }
    }
    return found
  }

  /** Runs over every text that is shown or logged: nothing is called for a character, and nothing allocated. */
  #scan(text: string, found: Range[]): void {
    const [filter, codes, { length }] = [this.#filter, FOLDED, text]
    let key = 0
    for (let at = 0; at < length; at++) {
      const char = text.charCodeAt(at)
      const code = char < 128 ? (codes[char] as number) : 0
      if (code === 0) continue
      key = ((key << 6) | code) & KEY_BITS
      if (filter[Math.imul(key, HASH) >>> FILTER_SHIFT] === 1)
        this.#compare(text, findKeyStart(text, at), key, plainUnit, found)
    }
  }

  #scanDecoded(text: string, found: Range[]): void {
    const filter = this.#filter
    const starts = new Int32Array(8)
    let key = 0
    let count = 0
    for (let at = 0; at < text.length; ) {
      const char = text.charCodeAt(at)
      let code = char < 128 ? (READ[char] as number) : 0
      let length = 1
      if (code === ESCAPE) {
        const unit = decodedUnit(text, at)
        code = unit & 0xff
        length = unit >> 8
      }
      if (code !== 0) {
        starts[count & 7] = at
        key = ((key << 6) | code) & KEY_BITS
        count++
        if (filter[Math.imul(key, HASH) >>> FILTER_SHIFT] === 1)
          this.#compare(text, starts[(count - KEY_CODES) & 7] as number, key, decodedUnit, found)
      }
      at += length
    }
  }

  #compare(text: string, start: number, key: number, read: typeof decodedUnit, found: Range[]): void {
    for (const needle of this.#byKey.get(key) ?? []) {
      const end = findFormEnd(needle, text, start, read)
      if (end > 0) found.push([start, end])
    }
  }
}

/** Where the codes of a key begin that ends at a place. */
function findKeyStart(text: string, end: number): number {
  let at = end
  for (let known = 1; known < KEY_CODES && at > 0; ) {
    at--
    if (FOLDED[text.charCodeAt(at)]) known++
  }
  return at
}

/** Where a form ends that begins at a place; -1 when it does not stand there. */
function findFormEnd(needle: Needle, text: string, start: number, read: typeof decodedUnit): number {
  let known = 0
  let gap = 0
  for (let at = start; at < text.length; ) {
    const unit = read(text, at)
    const code = unit & 0xff
    at += unit >> 8
    if (code === 0) {
      gap++
      if (gap > MAX_GAP) return -1
      continue
    }
    if (code !== needle[known]) return -1
    gap = 0
    known++
    if (known === needle.length) return at
  }
  return -1
}

function plainUnit(text: string, at: number): number {
  return 256 | (FOLDED[text.charCodeAt(at)] ?? 0)
}

function measureStretch(stretch: Stretch | undefined): number {
  return stretch ? stretch.end - stretch.start : Number.POSITIVE_INFINITY
}

/** The text between the matches. */
function splitAround(text: string, pattern: RegExp): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0
  for (const { index, 0: match } of text.matchAll(pattern)) {
    if (index > from) stretches.push({ start: from, end: index })
    from = index + match.length
  }
  return [...stretches, { start: from, end: text.length }]
}

/** The bytes of a dump; the whole line behind the address is hidden for any of them. */
function findDumpBytes(text: string): Stretch[] {
  return [...text.matchAll(DUMPED)].map(({ index, 0: line, 1: address = '', 2: bytes = '' }) => {
    const start = index + address.length
    return { start, end: start + bytes.length, hides: [start, index + line.length] }
  })
}

function replaceRanges(text: string, found: Range[]): string {
  found.sort((a, b) => a[0] - b[0] || b[1] - a[1])
  const parts: string[] = []
  let from = 0
  let open: Range | undefined
  for (const range of found) {
    if (open && range[0] < open[1]) {
      if (range[1] > open[1]) open = [open[0], range[1]]
      continue
    }
    if (open) {
      parts.push(text.slice(from, open[0]), STARS)
      from = open[1]
    }
    open = range
  }
  if (open) {
    parts.push(text.slice(from, open[0]), STARS)
    from = open[1]
  }
  return parts.join('') + text.slice(from)
}
