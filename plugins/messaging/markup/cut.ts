/** Takes as much of a row as there is room for, and leaves the rest. */
import type { Markup } from 'svc/sdk/platform'
import type { Measure } from './measure.ts'
import { escapedCode, escapeText, renderedRun } from './render.ts'
import type { Row, Run } from './rows.ts'

/** The minimum that is searched of a long word. */
const LEAST_WINDOW = 64
/** A word, or the blanks between two. A blank with a combining accent is not a blank. */
const ATOM = /^(?:(?:\s(?!\p{M}))+|\s?\S+)/u
const SENTENCE_END = /[.!?…。！？][\p{Pe}\p{Pf}"'*_]*$/u
/** After these a text without blanks can be cut. */
const STOP = /[。！？；：，、](?!\p{M})/gu
const graphemes = new Intl.Segmenter('en')

/** A piece of a run that is not cut as long as it fits into one message. */
interface Atom {
  readonly run: Run
  readonly isBlank: boolean
  /** Where the atom ends: the run after it, or a place in this one. */
  readonly index: number
  readonly offset: number
}

/** A good place to cut: behind so many atoms. */
interface Stop {
  readonly count: number
  readonly used: number
  readonly atom: Atom
}

/** Space in a message: for the row, used so far, and in a new message. */
interface Room {
  readonly room: number
  readonly used: number
  readonly whole: number
}

/** What a cutter needs to know of messages. */
export interface CutterOptions {
  readonly markup: Markup
  readonly measure: Measure
  readonly limit: number
}

/** The runs of a row, read from the first to the last. */
export class Cutter {
  readonly #runs: Run[]
  readonly #markup: Markup
  readonly #measure: Measure
  /** A word is searched only as far as it could fit into a message, counted in the smallest units. */
  readonly #longest: number
  #index = 0
  #offset = 0

  constructor(row: Row, { markup, measure, limit }: CutterOptions) {
    const code: Run = { text: row.kind === 'code' ? row.text : '', styles: [] }
    this.#runs = row.kind === 'code' ? [code] : [...row.runs]
    // Lines of a fence are escaped like code; the fence around them is not the cutter's business.
    this.#markup = row.kind === 'code' && markup.fence ? { escape: (text) => escapedCode(text, markup) } : markup
    this.#measure = measure
    this.#longest = limit * 2 + 2 * LEAST_WINDOW
  }

  get done(): boolean {
    return this.#index >= this.#runs.length
  }

  /** What fits into `room`, to the end of a sentence or a word where that is not too little; `whole` is the most room. */
  take(room: number, whole: number): Run[] {
    const taken: Run[] = []
    let used = 0
    let sentence: Stop | undefined
    let word: Stop | undefined
    for (let atom = this.#next(); atom; atom = this.#next()) {
      const last = taken.at(-1)
      const size = this.#size(atom.run, last)
      if (used + size > room) {
        if (size > whole && this.#isTooLong(atom, taken)) return this.#within(atom, taken, { room, used, whole })
        break
      }
      used += size
      taken.push(atom.run)
      this.#goTo(atom)
      if (!atom.isBlank) continue
      word = { count: taken.length, used, atom }
      if (endsSentence(last)) sentence = word
    }
    const back = sentence && sentence.used > room / 2 ? sentence : word
    if (this.done || !back) return joinRuns(taken)
    this.#goTo(back.atom)
    return joinRuns(taken.slice(0, back.count))
  }

  /** All that was not taken. */
  rest(): Run[] {
    const [first, ...more] = this.#runs.slice(this.#index)
    return first ? [{ ...first, text: first.text.slice(this.#offset) }, ...more] : []
  }

  #goTo({ index, offset }: Pick<Atom, 'index' | 'offset'>): void {
    this.#index = index
    this.#offset = offset
  }

  /** The atom that begins here, without moving on. */
  #next(): Atom | undefined {
    const run = this.#runs[this.#index]
    if (!run) return undefined
    const after = { index: this.#index + 1, offset: 0 }
    if (run.link) return { run, isBlank: false, ...after }
    const [text = ''] = ATOM.exec(run.text.slice(this.#offset, this.#offset + this.#longest)) ?? []
    const offset = this.#offset + text.length
    const place = offset >= run.text.length ? after : { index: this.#index, offset }
    return { run: { ...run, text }, isBlank: !run.isCode && text.trim() === '', ...place }
  }

  /** Never less than what it adds: marks are counted whenever the style is another than before. */
  #size(run: Run, last: Run | undefined): number {
    if (run.isCode) {
      const marks = last?.isCode ? 0 : this.#marks([this.#markup.code])
      return marks + this.#measure(this.#escape(run.text, run))
    }
    const isSame = last !== undefined && !last.isCode && String(last.styles) === String(run.styles)
    const marks = isSame ? 0 : this.#marks(run.styles.map((style) => this.#markup[style]))
    return marks + this.#measure(run.link ? renderedRun(run, this.#markup) : this.#escape(run.text, run))
  }

  #marks(marks: readonly (readonly [string, string] | undefined)[]): number {
    return marks.reduce((sum, each) => sum + (each ? this.#measure(each[0]) + this.#measure(each[1]) : 0), 0)
  }

  #escape(text: string, { isCode }: Run): string {
    return isCode && this.#markup.code ? escapedCode(text, this.#markup) : escapeText(text, this.#markup)
  }

  /** A link that fits into no message becomes text and an address; the text before it is sent first. */
  #isTooLong({ run }: Atom, taken: readonly Run[]): boolean {
    if (!run.link) return true
    if (taken.length > 0) return false
    const { address, runs } = run.link
    const where = run.text.trim() === address ? [] : [{ text: ` (${address})`, styles: [] }]
    this.#runs.splice(this.#index, 1, ...[...runs, ...where].map((each) => ({ ...each, styles: run.styles })))
    return true
  }

  /** As much of a long word as there is room for, never a part of a grapheme unless that alone is too long. */
  #within({ run }: Atom, taken: readonly Run[], { room, used, whole }: Room): Run[] {
    if (run.link) return []
    const left = room - used - this.#size({ ...run, text: '' }, taken.at(-1))
    // A grapheme has at least one unit, so more than this cannot fit.
    const window = run.text.slice(0, Math.max(LEAST_WINDOW, left * 2))
    const most = this.#fitting(window, left, run)
    const length = most < window.length ? (graphemes.segment(window).containing(most)?.index ?? 0) : most
    if (length === 0 && (taken.length > 0 || room < whole)) return joinRuns(taken)
    const text = length > 0 ? stopWithin(run.text.slice(0, length)) : partOfOne(window, most)
    const end = this.#offset + text.length
    const isOver = end >= (this.#runs[this.#index]?.text.length ?? 0)
    this.#goTo(isOver ? { index: this.#index + 1, offset: 0 } : { index: this.#index, offset: end })
    return joinRuns([...taken, { ...run, text }])
  }

  /** How many units of the text fit. */
  #fitting(text: string, room: number, run: Run): number {
    let [fits, over] = [0, text.length + 1]
    while (over - fits > 1) {
      const middle = (fits + over) >> 1
      if (this.#measure(this.#escape(text.slice(0, middle), run)) <= room) fits = middle
      else over = middle
    }
    return fits
  }
}

/** A grapheme that is too long is cut between its characters; at least one of them is kept. */
function partOfOne(text: string, most: number): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0)
  const isBetween = (text.charCodeAt(most) & 0xfc00) === 0xdc00
  return text.slice(0, Math.max(first.length, isBetween ? most - 1 : most))
}

/** Up to the last full stop, if it is in the second half. */
function stopWithin(text: string): string {
  const at = ([...text.matchAll(STOP)].at(-1)?.index ?? -1) + 1
  return at > text.length / 2 ? text.slice(0, at) : text
}

function endsSentence(run: Run | undefined): boolean {
  return run !== undefined && SENTENCE_END.test(run.text.slice(-8))
}

/** Neighbours of one look as one run. */
function joinRuns(runs: readonly Run[]): Run[] {
  const all: Run[] = []
  for (const run of runs) {
    const last = all.at(-1)
    const isSame = last && !last.link && !run.link && last.isCode === run.isCode
    if (isSame && String(last.styles) === String(run.styles))
      all[all.length - 1] = { ...last, text: last.text + run.text }
    else all.push(run)
  }
  return all
}
