/** What a line alone begins: https://spec.commonmark.org/0.31.2/ and https://github.github.com/gfm/ for tables. */

/** A line that begins a block, or `text`. */
export type LineKind =
  | { readonly kind: 'text' | 'heading' | 'rule' | 'quote' }
  | { readonly kind: 'fence'; readonly fence: Fence; readonly info: string }
  | ItemLine

/** The opening line of a block of code. */
export interface Fence {
  readonly mark: string
  readonly size: number
  readonly indent: number
}

/** The first line of an item of a list. */
export interface ItemLine {
  readonly kind: 'item'
  /** `-`, `*`, `+`, `.` or `)`: another one is another list. */
  readonly mark: string
  readonly number: number | undefined
  /** Where its text begins. */
  readonly offset: number
  /** It may stand directly below a paragraph. */
  readonly interrupts: boolean
}

const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/
const HEADING = /^ {0,3}#{1,6}(?: |$)/
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/
const ITEM = /^( {0,3})(?:([-*+])|(\d{1,9})([.)]))(?:( +)(.*)|$)/
const DELIMITERS = /^ {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/

export function classifyLine(line: string): LineKind {
  const fence = parseFence(line)
  if (fence) return fence
  if (HEADING.test(line)) return { kind: 'heading' }
  if (RULE.test(line)) return { kind: 'rule' }
  if (/^ {0,3}>/.test(line)) return { kind: 'quote' }
  return parseItem(line) ?? { kind: 'text' }
}

function parseFence(line: string): LineKind | undefined {
  const [, indent = '', marks = '', info = ''] = FENCE.exec(line) ?? []
  const mark = marks.charAt(0)
  if (mark === '' || (mark === '`' && info.includes('`'))) return undefined
  return { kind: 'fence', fence: { mark, size: marks.length, indent: indent.length }, info: info.trim() }
}

function parseItem(line: string): ItemLine | undefined {
  const found = ITEM.exec(line)
  if (!found) return undefined
  const [, indent = '', bullet, digits = '', delimiter = '', gap = ' ', text = ''] = found
  const number = bullet ? undefined : Number(digits)
  const marker = indent.length + (bullet ? 1 : digits.length + 1)
  return {
    kind: 'item',
    mark: bullet ?? delimiter,
    number,
    offset: marker + (gap.length > 4 || text === '' ? 1 : gap.length),
    interrupts: text.trim() !== '' && (number === undefined || number === 1),
  }
}

export function closes(line: string, { mark, size }: Fence): boolean {
  const text = line.trim()
  return /^ {0,3}\S/.test(line) && text.length >= size && text === mark.repeat(text.length)
}

/** Whether a line makes the one before it the head of a table. */
export function isBelowHead(line: string, head: string): boolean {
  return line.includes('|') && DELIMITERS.test(line) && head.trim() !== '' && cells(line) === cells(head)
}

/** Under a paragraph, which becomes a heading. */
export function isUnderline(line: string): boolean {
  return /^ {0,3}(?:-+|=+) *$/.test(line)
}

/** How many cells a row of a table has. */
export function cells(row: string): number {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).length
}

/** Spaces that a line begins with. */
export function countIndent(line: string): number {
  return line.length - line.trimStart().length
}
