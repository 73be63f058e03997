/** Breaks lines. */
import type { StyledLine, StyledSpan } from 'svc/sdk/terminal'
import { beginning } from './cut-lines.ts'
import { segments } from './graphemes.ts'
import { type Piece, splitIntoUnits, type Unit } from './line-breaks.ts'
import { graphemeWidth, lineWidth } from './width.ts'

/** Cells that an indent leaves at least: one character of any script. */
const LEAST_ROOM = 2

/** Contract: `TextLayout.wrap`. A line feed ends a line; a width below 1 is taken for 1. */
export function wrap(line: StyledLine, width: number, indent: StyledLine = []): readonly StyledLine[] {
  const room = Math.max(1, Math.floor(width) || 1)
  if (lineWidth(line) <= room && !line.some(({ text }) => text.includes('\n'))) return [line]
  const lines = new Lines(line, room, beginning(indent, Math.max(0, room - LEAST_ROOM)))
  for (const unit of splitIntoUnits(line)) lines.add(unit)
  return lines.end()
}

/** Lines being filled. */
class Lines {
  readonly #spans: StyledLine
  readonly #room: number
  readonly #indent: StyledLine
  readonly #indentWidth: number
  readonly #done: StyledLine[] = []
  #pieces: Piece[] = []
  #used = 0
  /** Spaces that are written only if a word follows on the same line. */
  #gap: Unit | undefined

  constructor(spans: StyledLine, room: number, indent: StyledLine) {
    this.#spans = spans
    this.#room = room
    this.#indent = indent
    this.#indentWidth = lineWidth(indent)
  }

  add(unit: Unit): void {
    if (unit.kind === 'gap') this.#gap = unit
    else if (unit.kind === 'end') {
      this.#putGap(this.#left)
      this.#break()
    } else this.#word(unit)
  }

  end(): readonly StyledLine[] {
    this.#putGap(this.#left)
    this.#break()
    return this.#done
  }

  get #left(): number {
    return this.#room - this.#used - (this.#done.length > 0 ? this.#indentWidth : 0)
  }

  #word(unit: Unit): void {
    const gap = this.#gap?.width ?? 0
    if (unit.width > this.#left - gap && this.#pieces.length > 0) this.#break()
    // Spaces at the very beginning are an indentation: as much of it as the word leaves room for.
    else this.#putGap(Math.max(0, this.#left - unit.width))
    if (unit.width <= this.#left) this.#put(unit.pieces, unit.width)
    else for (const piece of unit.pieces) this.#pieceByPiece(piece)
  }

  /** A word that is longer than a line. */
  #pieceByPiece({ text, span }: Piece): void {
    for (const grapheme of segments(text)) {
      const width = graphemeWidth(grapheme)
      if (width > Math.max(0, this.#left) && this.#used > 0) this.#break()
      this.#put([{ text: grapheme, width, span }], width)
    }
  }

  #putGap(most: number): void {
    if (this.#gap)
      for (const { text, span } of this.#gap.pieces)
        for (const space of segments(text)) {
          const width = graphemeWidth(space)
          if (width > most) break
          most -= width
          this.#put([{ text: space, width, span }], width)
        }
    this.#gap = undefined
  }

  #put(pieces: readonly Piece[], width: number): void {
    this.#pieces.push(...pieces)
    this.#used += width
  }

  #break(): void {
    const isFirst = this.#done.length === 0
    const line: StyledSpan[] = isFirst ? [] : [...this.#indent]
    let index = 0
    while (index < this.#pieces.length) {
      const span = this.#pieces[index]?.span ?? 0
      let text = ''
      for (; this.#pieces[index]?.span === span; index++) text += this.#pieces[index]?.text
      line.push({ ...this.#spans[span], text })
    }
    this.#done.push(line)
    this.#pieces = []
    this.#used = 0
    this.#gap = undefined
  }
}
