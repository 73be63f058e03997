/** Looks of cells, each kept once: a cell holds a number. */
import type { StyledSpan, TextStyle, Theme } from 'svc/sdk/terminal'
import { type ColorCount, colorCode } from './colors.ts'

/** What the terminal does without being told: no colour, no emphasis. */
export const PLAIN = 0
/** Links create unlimited styles; at this many the table is cleared. */
const MAX_STYLES = 5000

interface CellStyle {
  /** The parameters of SGR. */
  readonly codes: string
  readonly link: string | undefined
  readonly marksBlanks: boolean
}

/** The looks of one skin. */
export class Styles {
  readonly #skin: Theme
  readonly #colors: ColorCount
  readonly #looks: CellStyle[] = [{ codes: '', link: undefined, marksBlanks: false }]
  readonly #ids = new Map<string, number>()

  constructor(skin: Theme, colors: ColorCount) {
    this.#skin = skin
    this.#colors = colors
  }

  get isFull(): boolean {
    return this.#looks.length >= MAX_STYLES
  }

  /** The number of a span's look. */
  of(span: StyledSpan): number {
    const flags =
      (span.bold ? 'b' : '') + (span.italic ? 'i' : '') + (span.underline ? 'u' : '') + (span.strike ? 's' : '')
    const colors = `${span.color ?? ''} ${span.background ?? ''}`
    const key = `${span.role ?? 'text'} ${flags} ${colors} ${span.link ?? ''}`
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#add(span)
    this.#ids.set(key, id)
    return id
  }

  /** Whether it is seen on a blank cell, too. */
  marksBlanks(id: number): boolean {
    return this.#looks[id]?.marksBlanks ?? false
  }

  /** What changes the terminal from one look to another. */
  change(from: number, to: number): string {
    const link = this.#looks[to]?.link
    const text = `\x1b[${this.#looks[to]?.codes ?? ''}m`
    if (link === this.#looks[from]?.link) return text
    // The same id ties pieces of one link on several lines together.
    return `${text}\x1b]8;${link === undefined ? ';' : `id=${hash(link)};${link}`}\x1b\\`
  }

  #add(span: StyledSpan): number {
    const role = span.role ?? 'text'
    const { color, background } = span
    const own = { ...(isColor(color) && { color }), ...(isColor(background) && { background }) }
    const paint = { ...this.#skin.colors[role], ...own }
    const link = safeLink(span.link)
    const codes = [...this.#emphasis(span, paint, role), ...this.#ground(paint)]
    if (codes.length === 0 && link === undefined) return PLAIN
    const marksBlanks = link !== undefined || codes.some((code) => /^(4|7|9|4[0-8];?.*|10\d)$/.test(code))
    return this.#looks.push({ codes: codes.length ? `0;${codes.join(';')}` : '', link, marksBlanks }) - 1
  }

  #emphasis(span: StyledSpan, paint: TextStyle, role: string): string[] {
    const hasColors = this.#colors !== 0
    const is = (on: boolean | undefined, code: string) => (on ? [code] : [])
    return [
      ...is(span.bold || paint.bold, '1'),
      ...is(hasColors && paint.dim, '2'),
      ...is(hasColors && (span.italic || paint.italic), '3'),
      ...is(span.underline || paint.underline, '4'),
      // What is selected must be seen without colours, too.
      ...is(paint.inverse || (!hasColors && role === 'selected'), '7'),
      ...is(hasColors && (span.strike || paint.strike), '9'),
    ]
  }

  #ground(paint: TextStyle): string[] {
    const { color, background } = paint
    const codes = [
      color === undefined ? undefined : colorCode(color, 'color', this.#colors),
      background === undefined ? undefined : colorCode(background, 'background', this.#colors),
    ]
    return codes.filter((code) => code !== undefined)
  }
}

function isColor(value: string | undefined): value is string {
  return value !== undefined && /^#[0-9a-f]{6}$/i.test(value)
}

/** An address that cannot end the sequence it stands in. https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
function safeLink(link: string | undefined): string | undefined {
  if (link === undefined || link.length > 2000 || !/^[a-z][a-z0-9+.-]*:/i.test(link)) return undefined
  const safe = link.replace(/[^\x21-\x7e]/gu, (character) => {
    try {
      return encodeURIComponent(character)
    } catch {
      // Half of a surrogate pair is no character.
      return '%EF%BF%BD'
    }
  })
  return safe.length > 2000 ? undefined : safe
}

function hash(text: string): string {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = (Math.imul(sum, 31) + text.charCodeAt(index)) | 0
  return (sum >>> 0).toString(36)
}
