/** What each character does to a terminal's cursor, and whether terminals agree on it. */
import type { TextLayout } from 'svc/sdk/terminal'

/** One grapheme, shown. */
export interface Glyph {
  /** Cells: 0 (not shown), 1 or 2. */
  readonly width: number
  /** Terminals may put the cursor elsewhere than `width` says. */
  readonly isUnsure: boolean
  /** Cells behind it that a terminal which does not join clusters writes over. */
  readonly spill: number
}

const MAX_GLYPHS = 20_000
/** Texts whose graphemes are remembered: most of a picture was in the one before. */
const MAX_TEXTS = 1000
const LONG_TEXT = 500
const one: Glyph = { width: 1, isUnsure: false, spill: 0 }
const none: Glyph = { width: 0, isUnsure: false, spill: 0 }

/** A memory of glyphs. */
export class Glyphs {
  readonly #layout: TextLayout
  readonly #known = new Map<string, Glyph>()
  readonly #splits = new Map<string, readonly string[]>()

  constructor(layout: TextLayout) {
    this.#layout = layout
  }

  split(text: string): readonly string[] {
    const known = this.#splits.get(text)
    if (known) return known
    const parts = this.#layout.graphemes(text)
    if (this.#splits.size >= MAX_TEXTS) this.#splits.clear()
    if (text.length <= LONG_TEXT) this.#splits.set(text, parts)
    return parts
  }

  of(grapheme: string): Glyph {
    if (grapheme.length === 1) {
      const code = grapheme.charCodeAt(0)
      if (code >= 0x20 && code < 0x7f) return one
    }
    const known = this.#known.get(grapheme)
    if (known) return known
    const glyph = this.#measure(grapheme)
    if (this.#known.size >= MAX_GLYPHS) this.#known.clear()
    this.#known.set(grapheme, glyph)
    return glyph
  }

  #measure(grapheme: string): Glyph {
    // A control character would do something instead of being shown.
    if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(grapheme)) return none
    const width = Math.min(2, this.#layout.width(grapheme))
    const points = [...grapheme]
    const isUnsure = points.length > 1 || (width > 0 && /\p{Extended_Pictographic}/u.test(grapheme))
    if (width === 0 || !isUnsure) return width === 1 ? one : { width, isUnsure: false, spill: 0 }
    const apart = points.reduce((sum, point) => sum + this.#alone(point), 0)
    return { width, isUnsure, spill: Math.max(points.length === 1 ? 2 - width : 0, apart - width) }
  }

  /** What a character takes on a terminal that joins nothing. */
  #alone(point: string): number {
    return /[\p{Emoji_Presentation}\p{RI}]/u.test(point) ? 2 : this.#layout.width(point)
  }
}
