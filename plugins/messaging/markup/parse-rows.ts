/** From Markdown to rows, with the parser `marked`: https://marked.js.org, for GitHub's Markdown. */
import type { MarkedToken, Token, Tokens } from 'marked'
import { splitIntoLines } from './inline.ts'
import { tokenize } from './lex.ts'
import { limitNesting } from './limit-nesting.ts'
import { BULLET, type Row, type Run, type TextRow } from './rows.ts'
import { tableRows } from './table.ts'

/** The position of a block. */
interface BlockPosition {
  readonly quote: number
  readonly indent: number
  /** Of the item whose first line comes next. */
  readonly mark: string
  /** Blank lines stand between blocks. */
  readonly loose: boolean
  readonly depth: number
}

const TOP: BlockPosition = { quote: 0, indent: 0, mark: '', loose: true, depth: 0 }
/** Lists are not indented deeper, quotations not marked more often, and other blocks not looked into. */
const MAX_INDENT = 6
const MAX_QUOTES = 4
const MAX_DEPTH = 60
const INDENT = 2
const LANGUAGE = /^[\w+#.-]{1,40}$/
const RULE = '———'

/** The rows of a text. Never throws: what cannot be read as Markdown is text. */
export function parseRows(markdown: string): Row[] {
  const text = limitNesting(markdown)
  try {
    return new Rows().of(tokenize(text))
  } catch (error) {
    // Nested in a way that is too much for the parser.
    if (!(error instanceof Error)) throw error
    return new Rows().of([{ type: 'html', raw: text, text, pre: false, block: true }])
  }
}

/** The column of the text after the mark of an item. */
const below = ({ mark, indent }: BlockPosition): number =>
  mark === '' ? indent : Math.min(indent + INDENT, MAX_INDENT)

class Rows {
  readonly #rows: Row[] = []
  #blocks = 0

  of(tokens: readonly Token[]): Row[] {
    this.#walk(tokens, TOP)
    return this.#rows
  }

  #walk(tokens: readonly Token[], place: BlockPosition): void {
    let at = place
    // marked has no extensions here, so that these are all there are.
    for (const token of tokens as readonly MarkedToken[]) {
      if (token.type === 'space' || token.type === 'def' || token.type === 'checkbox') continue
      const before = this.#rows.length
      if (at.depth > MAX_DEPTH) this.#text([[{ text: token.raw.trim(), styles: [] }]], at)
      else this.#block(token, at)
      if (this.#rows.length > before && at.mark !== '') at = { ...at, mark: '', indent: below(at) }
    }
  }

  #block(token: MarkedToken, place: BlockPosition): void {
    switch (token.type) {
      case 'heading':
        this.#text(splitIntoLines(token.tokens), place, token.depth)
        break
      case 'code':
        this.#code(token.text, token.lang ?? '', place)
        break
      case 'blockquote':
        this.#walk(token.tokens, { ...place, quote: Math.min(place.quote + 1, MAX_QUOTES), depth: place.depth + 1 })
        break
      case 'list':
        this.#list(token, place)
        break
      case 'table':
        this.#table(token, place)
        break
      case 'hr':
        this.#text([[{ text: RULE, styles: [] }]], place)
        break
      case 'html':
        this.#text(plainLines(token.text), place)
        break
      default:
        this.#text(splitIntoLines(('tokens' in token && token.tokens) || [token]), place)
    }
  }

  /** The first line has the mark of the item, the others stand below its text. */
  #text(lines: readonly (readonly Run[])[], place: BlockPosition, heading = 0): void {
    const { quote, indent, mark } = place
    for (const [at, runs] of lines.entries()) {
      const row: TextRow = { kind: 'text', gap: false, quote, indent: below(place), mark: '', heading, runs }
      if (runs.length === 0 && mark === '') continue
      if (at > 0) this.#add(row, 'close')
      else this.#add({ ...row, indent, mark }, place.loose ? 'gap' : 'close')
    }
  }

  #code(text: string, info: string, place: BlockPosition): void {
    const word = info.trim().split(/\s/)[0] ?? ''
    const language = LANGUAGE.test(word) ? word : ''
    this.#blocks += 1
    for (const [at, line] of text.split('\n').entries()) {
      const row = { kind: 'code', gap: false, block: this.#blocks, language, text: line } as const
      this.#add(row, at === 0 && place.loose ? 'gap' : 'close')
    }
  }

  #list(list: Tokens.List, place: BlockPosition): void {
    const isNested = place.depth > 0 && place.mark === '' && !place.loose
    const start = list.start === '' ? 1 : list.start
    const indent = below(place)
    for (const [at, item] of list.items.entries()) {
      const mark = list.ordered ? `${start + at}. ` : BULLET
      const before = this.#rows.length
      this.#walk(withBox(item.tokens), { ...place, indent, mark, loose: list.loose, depth: place.depth + 1 })
      const first = this.#rows[before]
      if (first && at === 0 && before > 0) this.#rows[before] = { ...first, gap: !isNested && place.mark === '' }
    }
  }

  #table(table: Tokens.Table, place: BlockPosition): void {
    const cells = [table.header, ...table.rows].map((row) => row.map(({ tokens }) => splitIntoLines(tokens).flat()))
    const drawn = place.quote === 0 ? tableRows(cells, table.align) : undefined
    if (drawn) this.#code(drawn.join('\n'), '', place)
    else this.#listOfCells(cells, place)
  }

  #listOfCells(cells: readonly (readonly (readonly Run[])[])[], place: BlockPosition): void {
    const [head = [], ...rows] = cells.map((row) => row.flatMap((cell, at) => (at ? [dot, ...cell] : cell)))
    this.#text([head.map(bold)], place)
    for (const row of rows) this.#text([row], { ...place, mark: BULLET, loose: false })
  }

  #add(row: Row, gap: 'gap' | 'close'): void {
    this.#rows.push({ ...row, gap: gap === 'gap' && this.#rows.length > 0 })
  }
}

/** Puts the checkbox of a task before its text, if the parser does not. */
function withBox(tokens: readonly Token[]): readonly Token[] {
  const [box, text, ...rest] = tokens as readonly MarkedToken[]
  if (box?.type !== 'checkbox' || text?.type !== 'text') return tokens
  return [{ ...text, tokens: [box, ...(text.tokens ?? [])] }, ...rest]
}

/** Between cells that stand on one line. */
const dot: Run = { text: ' · ', styles: [] }

function bold(run: Run): Run {
  return run.isCode || run.styles.includes('bold') ? run : { ...run, styles: ['bold', ...run.styles] }
}

function plainLines(text: string): Run[][] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.flatMap((line) => (line === '' ? [] : [[{ text: line, styles: [] }]]))
}
