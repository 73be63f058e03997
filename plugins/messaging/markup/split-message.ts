/** Puts rows into messages: between blocks where that fills them well, else between lines, else within one. */
import type { ChunkLimits, Markup } from 'svc/sdk/platform'
import { Cutter } from './cut.ts'
import { trimRuns } from './inline.ts'
import { chooseMeasure, type Measure } from './measure.ts'
import { codeLine, isApart, isSameGroup, quoteText, renderRows, textLine } from './render.ts'
import { type Row, type Run, readRowText } from './rows.ts'

/** A row that is not cut for less room than this part of a message. */
const LEAST_ROOM = 0.4
/** A message that is less full is not ended for the sake of a block. */
const LEAST_FULL = 0.5
/** So many headings below each other go with what follows them. */
const MAX_HEADINGS = 3
/** With less space than this beside its marks a row is shown without them. */
const LEAST_INNER = 12

/** A row, and how much it adds to the message so far. */
interface Placed {
  readonly row: Row
  readonly size: number
}

export class Packer {
  readonly #limit: number
  readonly #measure: Measure
  readonly #markup: Markup
  readonly #pieces: string[] = []
  #placed: Placed[] = []
  #size = 0

  constructor(limits: ChunkLimits) {
    this.#limit = Math.max(1, limits.maxTextLength)
    this.#measure = chooseMeasure(limits)
    this.#markup = limits.markup ?? {}
  }

  add(row: Row): void {
    // Marks make a text longer, so that what is too long without them need not be tried.
    if (this.#measure(readRowText(row)) > this.#limit) {
      this.#addParts(row)
      return
    }
    const size = this.#added(row, this.#placed.at(-1)?.row)
    if (this.#size + size <= this.#limit) this.#place(row, size)
    else if (this.#added(row, undefined) > this.#limit) this.#addParts(row)
    else {
      this.#end(row)
      this.add(row)
    }
  }

  /** The messages. */
  end(): readonly string[] {
    this.#flush(this.#placed.length)
    return this.#pieces
  }

  #place(row: Row, size: number): void {
    this.#placed.push({ row, size })
    this.#size += size
  }

  /** A row that is longer than a message. */
  #addParts(row: Row): void {
    const whole = this.#limit - this.#frame(row, undefined)
    if (whole < LEAST_INNER && !isBare(row)) {
      this.add(toPlainRow(row))
      return
    }
    const cutter = this.#cutter(row)
    let part = row
    while (!cutter.done) {
      if (this.#room(part) < this.#limit * LEAST_ROOM) this.#end(part)
      if (this.#room(part) < this.#limit * LEAST_ROOM) this.#flush(this.#placed.length)
      const runs = cutter.take(Math.min(this.#room(part), whole), whole)
      if (runs.length > 0) {
        const taken = withRuns(part, runs)
        this.#place(taken, this.#added(taken, this.#placed.at(-1)?.row))
        part = withoutMark(part)
      }
      if (!cutter.done) this.#flush(this.#placed.length)
    }
  }

  /** For the words of a row. */
  #room(row: Row): number {
    return this.#limit - this.#size - this.#frame(row, this.#placed.at(-1)?.row)
  }

  /** Ends the message before a row that does not fit any more. */
  #end(next: Row): void {
    const rows = this.#placed.map(({ row }) => row)
    let full = this.#size
    let at = rows.length
    if (!next.gap)
      for (let index = rows.length - 1; index > 0 && full > this.#limit * LEAST_FULL; index -= 1) {
        full -= this.#placed[index]?.size ?? 0
        if (rows[index]?.gap && full >= this.#limit * LEAST_FULL) at = index
        if (at === index) break
      }
    // A heading belongs to what follows it.
    const before = rows.slice(0, at).findLastIndex((row) => !isHeading(row)) + 1
    if (before > 0 && at - before <= MAX_HEADINGS) at = before
    const rest = rows.slice(at)
    this.#flush(at)
    for (const row of rest) this.#place(row, this.#added(row, this.#placed.at(-1)?.row))
  }

  #flush(count: number): void {
    const rows = this.#placed.slice(0, count).map(({ row }) => row)
    this.#placed = []
    this.#size = 0
    this.#send(rows)
  }

  /** Sizes were sums of parts; a markup for which this is wrong is found out here. */
  #send(rows: readonly Row[]): void {
    if (!rows.some((row) => readRowText(row).trim() !== '')) return
    const text = renderRows(rows, this.#markup)
    if (this.#measure(text) <= this.#limit) {
      this.#pieces.push(text)
      return
    }
    if (rows.length > 1) {
      const half = Math.ceil(rows.length / 2)
      this.#send(rows.slice(0, half))
      this.#send(rows.slice(half))
      return
    }
    for (const row of rows) this.#halve(row, text)
  }

  #cutter(row: Row): Cutter {
    return new Cutter(row, { markup: this.#markup, measure: this.#measure, limit: this.#limit })
  }

  #halve(row: Row, text: string): void {
    const words = this.#measure(readRowText(row))
    const cutter = this.#cutter(row)
    const runs = cutter.take(Math.ceil(words / 2), Math.ceil(words / 2))
    if (cutter.done && isBare(row)) {
      this.#pieces.push(text)
    } else if (cutter.done) this.#send([toPlainRow(row)])
    else {
      this.#send([withRuns(row, runs)])
      this.#send([withRuns(withoutMark(row), cutter.rest())])
    }
  }

  /** How much longer a message becomes by the row, the marks around it included. */
  #added(row: Row, before: Row | undefined): number {
    const line = row.kind === 'code' ? codeLine(row, this.#markup) : textLine(row, this.#markup)
    const feeds = before === undefined ? 0 : isApart(before, row) ? 2 : 1
    const isSame = isSameGroup(before, row)
    if (row.kind === 'code') return this.#measure(line) + feeds + (isSame ? 0 : this.#fenceSize(row.language))
    if (row.quote === 0) return this.#measure(line) + feeds
    if (!isSame) return this.#measure(quoteText(line, this.#markup)) + feeds
    const [more, less] = [`x${'\n'.repeat(feeds)}${line}`, 'x'].map((text) =>
      this.#measure(quoteText(text, this.#markup)),
    )
    return (more ?? 0) - (less ?? 0)
  }

  /** What of it are marks, so that the rest is room for words. */
  #frame(row: Row, before: Row | undefined): number {
    return this.#added(withRuns(row, [{ text: 'x', styles: [] }]), before) - this.#measure('x')
  }

  #fenceSize(language: string): number {
    return this.#markup.fence ? this.#measure(this.#markup.fence('x', language)) - this.#measure('x') : 0
  }
}

const isHeading = (row: Row | undefined) => row?.kind === 'text' && row.heading > 0

function withRuns(row: Row, runs: readonly Run[]): Row {
  return row.kind === 'text'
    ? { ...row, runs: trimRuns(runs) }
    : { ...row, text: runs.map(({ text }) => text).join('') }
}

function withoutMark(row: Row): Row {
  return row.kind === 'text' ? { ...row, gap: false, mark: '' } : { ...row, gap: false }
}

/** Whether nothing but words is left of it. */
function isBare(row: Row): boolean {
  if (row.kind === 'code') return false
  return (
    row.quote + row.indent + row.heading === 0 &&
    row.mark === '' &&
    row.runs.every(({ styles, isCode, link }) => !styles.length && !isCode && !link)
  )
}

/** Its text without marks, if they do not fit. */
function toPlainRow(row: Row): Row {
  const runs: Run[] = [{ text: readRowText(row), styles: [] }]
  return { kind: 'text', gap: row.gap, quote: 0, indent: 0, mark: '', heading: 0, runs }
}
