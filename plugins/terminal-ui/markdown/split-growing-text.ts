/**
 * Cuts a growing text into parts that are laid out separately. A part is finished as soon as nothing that follows
 * can change it, and is never long: a block without an end is cut. The same text gives the same parts, in whatever
 * pieces it came.
 */
import { classifyLine, closes, countIndent, type Fence, isBelowHead, isUnderline, type LineKind } from './line-kinds.ts'

/** A part of a text. */
export interface Part {
  readonly kind: 'text' | 'heading' | 'rule' | 'quote' | 'item' | 'more' | 'fence' | 'code' | 'fence-end' | 'table'
  readonly text: string
  /** Preceded by a blank line. */
  readonly gap: boolean
  /** Of an item of an ordered list. */
  readonly number?: number
  /** The text continues in an item whose text begins there. */
  readonly indent?: number
  /** What was written after the fence. */
  readonly info?: string
  /** Of a table: its first two lines. */
  readonly head?: string
  /** For rows that continue a table: the rows that determine the widths of its columns. */
  readonly sample?: string
}

/** Whether code can be cut at its end without harm to its colours. */
export type Rests = (code: string, info: string) => boolean

/** A part that is being written. */
interface Open {
  readonly kind: 'text' | 'quote' | 'item' | 'more' | 'table' | 'code'
  readonly gap: boolean
  text: string
  readonly number?: number
  /** Where the text of an item begins. */
  readonly offset?: number
  readonly indent?: number
  readonly fence?: Fence
  readonly info?: string
  /** Characters of code in the parts before. */
  readonly before?: number
  /** From this length on it is looked whether the code can be cut. */
  tryAt?: number
  readonly head?: string
  readonly sample?: string
  rows?: number
}

/** Characters after which text is cut at the end of a line, and how far a cut in a line looks for a space. */
export const MAX_TEXT = 4_000
const SLACK = 500
/** Characters of code: when a cut is first tried, and when it is made in any case. */
const LEAST_CODE = 2_000
export const MAX_CODE = 8_000
/** Rows of a table that decide how wide its columns are, and that stand in one part. */
export const MAX_ROWS = 50
/** Code beyond is not coloured. */
const COLORED_CODE = 200_000

/** Kinds that stand below each other as they were written. Around others there is always a blank line. */
const close = new Set<Part['kind']>(['text', 'item', 'heading', 'more'])

export class Splitter {
  readonly #rests: Rests
  readonly #done: Part[] = []
  #open: Open | undefined
  #partial = ''
  #isBlank = false
  /** The next part continues one that was cut. */
  #isJoined = false
  #last: Part['kind'] | undefined
  #list: { readonly mark: string; readonly number: number | undefined } | undefined

  constructor(rests: Rests) {
    this.#rests = rests
  }

  /** Takes clean text; returns the parts that were finished by it. */
  push(text: string): Part[] {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#cutLine(this.#partial + text.slice(from, end))
      this.#line(this.#partial)
      this.#partial = ''
      from = end + 1
    }
    this.#cutLine(this.#partial + text.slice(from))
    return this.#done.splice(0)
  }

  /** The line that is being written. */
  get partial(): string {
    return this.#partial
  }

  get isInCode(): boolean {
    return this.#open?.kind === 'code'
  }

  /** The parts that are not finished, as if the text ended here, with another last line. The fence stays open. */
  tail(partial: string): Part[] {
    const copy = new Splitter(this.#rests)
    copy.#open = this.#open && { ...this.#open }
    copy.#isBlank = this.#isBlank
    copy.#isJoined = this.#isJoined
    copy.#last = this.#last
    copy.#list = this.#list
    if (partial !== '') copy.#line(partial)
    copy.#close()
    return copy.#done
  }

  /** The end of the text: the parts that were not finished. */
  end(): Part[] {
    if (this.#partial !== '') this.#line(this.#partial)
    this.#partial = ''
    this.#endCode()
    this.#close()
    return this.#done.splice(0)
  }

  /** Takes what a line is longer than any line needs to be. */
  #cutLine(line: string): void {
    let rest = line
    while (rest.length > MAX_TEXT + SLACK) {
      const space = rest.indexOf(' ', MAX_TEXT)
      let end = space >= 0 && space < MAX_TEXT + SLACK ? space : MAX_TEXT + SLACK
      if (/^[\udc00-\udfff]/.test(rest.charAt(end))) end--
      this.#line(rest.slice(0, end))
      const { offset, indent } = this.#open ?? {}
      if (this.#open?.kind !== 'code') {
        this.#close()
        const at = offset ?? indent
        this.#open = { kind: 'more', gap: false, text: '', ...(at === undefined ? {} : { indent: at }) }
      }
      rest = rest.slice(end)
    }
    this.#partial = rest
  }

  #line(line: string): void {
    if (this.#open?.kind === 'code') this.#codeLine(line, this.#open)
    else if (line.trim() === '') this.#blankLine()
    else {
      const kind = classifyLine(line)
      if (this.#goesOn(line, kind)) this.#grow(line)
      else this.#begin(line, kind)
      this.#isBlank = false
    }
  }

  #blankLine(): void {
    if (this.#open?.kind === 'item') this.#open.text += '\n'
    else this.#close()
    this.#isBlank = true
    this.#isJoined = false
  }

  /** Whether the line belongs to what is open. Too much in one part only costs time; too little would be wrong. */
  #goesOn(line: string, kind: LineKind): boolean {
    const open = this.#open
    if (!open) return false
    if (open.kind === 'item' && isInside(line, kind, open.offset ?? 2)) return true
    if (this.#isBlank) return false
    if (open.kind === 'text' && isUnderline(line)) return true
    if (open.kind === 'quote' && kind.kind === 'quote') return true
    if (kind.kind === 'item') return !kind.interrupts && (open.kind === 'text' || open.kind === 'more')
    return kind.kind === 'text' && !(open.kind === 'text' && isBelowHead(line, lastLine(open.text)))
  }

  #grow(line: string): void {
    const open = this.#open
    if (!open) return
    const isHeading = open.kind === 'text' && isUnderline(line)
    open.text += `${line}\n`
    if (open.kind === 'table') this.#grewTable(open)
    else if (isHeading) this.#close()
    else if (open.text.length >= MAX_TEXT) this.#cut(open)
  }

  #grewTable(open: Open): void {
    open.rows = (open.rows ?? 0) + 1
    if (open.rows < MAX_ROWS && open.text.length < MAX_TEXT) return
    const { head = '', sample = open.text } = open
    this.#close()
    this.#open = { kind: 'table', gap: false, text: '', head, sample, rows: 0 }
  }

  /** Ends a long part; the following text continues without a blank line. */
  #cut({ kind, offset, indent }: Open): void {
    this.#close()
    this.#isJoined = true
    const at = kind === 'item' ? offset : indent
    if (at !== undefined) this.#open = { kind: 'item', gap: false, text: '', offset: at, indent: at }
  }

  #begin(line: string, kind: LineKind): void {
    if (kind.kind === 'text' && this.#open?.kind === 'text' && isBelowHead(line, lastLine(this.#open.text))) {
      this.#beginTable(line)
      return
    }
    this.#close()
    const gap = this.#gap(kind.kind)
    if (kind.kind !== 'item') this.#list = undefined
    if (kind.kind === 'fence') {
      this.#put({ kind: 'fence', text: '', gap, info: kind.info })
      this.#openCode(kind.fence, kind.info, 0)
    } else if (kind.kind === 'item') {
      const isNext = this.#list?.mark === kind.mark && this.#list.number !== undefined
      const number = isNext ? (this.#list?.number ?? 0) + 1 : kind.number
      this.#list = { mark: kind.mark, number }
      const numbered = number === undefined ? {} : { number }
      this.#open = { kind: 'item', gap, text: `${line}\n`, offset: kind.offset, ...numbered }
    } else if (kind.kind === 'text' || kind.kind === 'quote') this.#open = { kind: kind.kind, gap, text: `${line}\n` }
    else this.#put({ kind: kind.kind, text: line, gap })
  }

  #beginTable(line: string): void {
    const open = this.#open
    if (!open) return
    const head = lastLine(open.text)
    const above = open.text.slice(0, open.text.length - head.length - 1).trimEnd()
    const { gap } = open
    this.#open = undefined
    if (above !== '') this.#put({ kind: 'text', text: above, gap })
    this.#open = { kind: 'table', gap: above === '' ? gap : true, text: '', head: `${head}\n${line}\n`, rows: 0 }
  }

  #gap(kind: Part['kind']): boolean {
    const isJoined = this.#isJoined
    this.#isJoined = false
    if (this.#last === undefined || isJoined) return false
    return this.#isBlank || !(close.has(kind) && kind !== 'heading' && close.has(this.#last))
  }

  #openCode(fence: Fence, info: string, before: number): void {
    const known = before < COLORED_CODE ? info : ''
    this.#open = { kind: 'code', gap: false, text: '', fence, info: known, before, tryAt: LEAST_CODE }
  }

  #codeLine(line: string, open: Open): void {
    const { fence, info = '', before = 0 } = open
    if (!fence) return
    if (closes(line, fence)) {
      this.#endCode()
      this.#isBlank = false
      return
    }
    open.text += `${line.slice(Math.min(fence.indent, countIndent(line)))}\n`
    const { length } = open.text
    if (length < (open.tryAt ?? LEAST_CODE)) return
    open.tryAt = Math.ceil(length * 1.3)
    if (length < MAX_CODE && !this.#rests(open.text, info)) return
    this.#close()
    this.#openCode(fence, info, before + length)
  }

  #endCode(): void {
    if (this.#open?.kind !== 'code') return
    this.#close()
    this.#put({ kind: 'fence-end', text: '', gap: false })
  }

  #close(): void {
    const open = this.#open
    this.#open = undefined
    if (!open || (open.text === '' && (open.kind !== 'table' || open.sample !== undefined))) return
    const { kind, gap, text, number, indent, info, head, sample } = open
    const more = { number, indent, info, head, sample }
    const said = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined))
    this.#put({ kind, gap, text: kind === 'code' ? text : text.trimEnd(), ...said })
  }

  #put(part: Part): void {
    this.#last = part.kind
    this.#done.push(part)
  }
}

/** Whether it stands below the text of an item, or far enough to be taken for that. */
function isInside(line: string, { kind }: LineKind, offset: number): boolean {
  const indent = countIndent(line)
  return indent >= offset || (indent >= 2 && kind !== 'item')
}

const lastLine = (text: string) => text.slice(text.lastIndexOf('\n', text.length - 2) + 1).trimEnd()
