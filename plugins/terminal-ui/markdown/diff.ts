/** Unified diffs: https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html */
import { diffWordsWithSpace } from 'diff/lib/diff/word.js'
import type { StyledLine, StyledSpan, TextLayout, ThemeColor } from 'svc/sdk/terminal'
import { fold } from './hanging-lines.ts'

/** A line of a diff. */
interface Row {
  readonly kind: 'head' | 'hunk' | 'same' | 'added' | 'removed' | 'remark'
  /** Without the sign. */
  readonly text: string
  readonly old?: number
  readonly new?: number
}

/** Characters of a line; words of longer lines are not compared. */
const MAX_LINE_LENGTH = 1_000
/** Of what both have in common; lines that share less are two lines, not one that changed. */
const LEAST_COMMON = 0.35
/** Words that may differ before the search is given up. */
const MAX_CHANGES = 200
/** From these widths on there is room for the numbers of the new lines, and of both. */
const NUMBERED_FROM = 50
const NUMBERED_TWICE_FROM = 90

const roles: Readonly<Record<Row['kind'], ThemeColor>> = {
  head: 'title',
  hunk: 'accent',
  same: 'text',
  added: 'added',
  removed: 'removed',
  remark: 'dim',
}
const signs: Readonly<Partial<Record<Row['kind'], string>>> = { same: ' ', added: '+', removed: '-' }

/** Contract: `Markdown.diff`. */
export function diffLines(text: string, width: number, layout: TextLayout): StyledLine[] {
  const rows = parseDiffRows(layout.clean(text).replace(/\n$/, ''))
  const shown = createSpans(rows)
  const digits = `${Math.max(0, ...rows.map((row) => Math.max(row.old ?? 0, row.new ?? 0)))}`.length
  return rows.flatMap((row, index) => rowLines(row, shown[index] ?? [], { width, digits }, layout))
}

/** Lines as what they are. Counts tell what belongs to a hunk, so that a removed `-- x` is no head. */
function parseDiffRows(text: string): Row[] {
  // Lines with signs and no more: there is nothing to count.
  if (!/^@@ -/m.test(text)) return text.split('\n').map((line) => parseDiffRow(line, {}))
  let left = { old: 0, new: 0 }
  let at = { old: 1, new: 1 }
  return text.split('\n').map((line): Row => {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (hunk) {
      const [, oldStart, oldCount = '1', newStart, newCount = '1'] = hunk
      at = { old: Number(oldStart), new: Number(newStart) }
      left = { old: Number(oldCount), new: Number(newCount) }
      return { kind: 'hunk', text: line }
    }
    if (line.startsWith('\\')) return { kind: 'remark', text: line }
    if (line.startsWith('diff --git ')) left = { old: 0, new: 0 }
    if (left.old <= 0 && left.new <= 0) return { kind: 'head', text: line }
    const row = parseDiffRow(line, at)
    if (row.kind !== 'added') {
      left.old--
      at.old++
    }
    if (row.kind !== 'removed') {
      left.new--
      at.new++
    }
    return row
  })
}

function parseDiffRow(line: string, at: { readonly old?: number; readonly new?: number }): Row {
  const text = line.slice(1)
  const old = at.old === undefined ? {} : { old: at.old }
  const now = at.new === undefined ? {} : { new: at.new }
  if (line.startsWith('+')) return { kind: 'added', text, ...now }
  if (line.startsWith('-')) return { kind: 'removed', text, ...old }
  return /^[^ ]/.test(line) ? { kind: 'head', text: line } : { kind: 'same', text, ...old, ...now }
}

/** Each row's text, with the words marked that differ from the line that it replaces. */
function createSpans(rows: readonly Row[]): readonly (readonly StyledSpan[])[] {
  const spans: StyledSpan[][] = rows.map(({ kind, text }) => [{ text, role: roles[kind] }])
  for (let index = 0; index < rows.length; index++) {
    const removed = run(rows, index, 'removed')
    const added = run(rows, index + removed, 'added')
    for (let pair = 0; pair < Math.min(removed, added); pair++) {
      const [from, to] = [index + pair, index + removed + pair]
      const words = changedWords(rows[from]?.text ?? '', rows[to]?.text ?? '')
      if (words) [spans[from], spans[to]] = words
    }
    index += Math.max(0, removed + added - 1)
  }
  return spans
}

function run(rows: readonly Row[], start: number, kind: Row['kind']): number {
  let count = 0
  while (rows[start + count]?.kind === kind) count++
  return count
}

function rowLines(
  row: Row,
  spans: readonly StyledSpan[],
  { width, digits }: { readonly width: number; readonly digits: number },
  layout: TextLayout,
): StyledLine[] {
  const sign = signs[row.kind]
  if (sign === undefined) return fold(spans, width, layout)
  const number = (value: number | undefined) => `${value ?? ''}`.padStart(digits)
  const numbers = [
    ...(width >= NUMBERED_TWICE_FROM ? [number(row.old), number(row.new)] : []),
    ...(width >= NUMBERED_FROM && width < NUMBERED_TWICE_FROM ? [number(row.new ?? row.old)] : []),
  ]
  const gutter: StyledLine = numbers.map((each) => ({ text: `${each} `, role: 'dim' }))
  const first: StyledLine = [...gutter, { text: `${sign} `, role: roles[row.kind] }]
  const used = layout.lineWidth(first)
  if (width - used < 2) return fold([{ text: sign, role: roles[row.kind] }, ...spans], width, layout)
  const rest: StyledLine = [{ text: ' '.repeat(used) }]
  return fold(spans, width - used, layout).map((line, index) => [...(index === 0 ? first : rest), ...line])
}

/** The old and the new line with their changes marked, or undefined when they have too little in common. */
function changedWords(old: string, now: string): [StyledSpan[], StyledSpan[]] | undefined {
  if (old === now || old.length > MAX_LINE_LENGTH || now.length > MAX_LINE_LENGTH) return undefined
  const parts = diffWordsWithSpace(old, now, { maxEditLength: MAX_CHANGES })
  if (!parts) return undefined
  const common = parts.filter(({ added, removed }) => !added && !removed)
  const shared = common.reduce((sum, { value }) => sum + value.trim().length, 0)
  if (shared < LEAST_COMMON * Math.max(old.trim().length, now.trim().length)) return undefined
  const side = (gone: 'added' | 'removed', role: ThemeColor) =>
    parts
      .filter((part) => !part[gone])
      .map(({ value, added, removed }): StyledSpan => {
        return added || removed ? { text: value, role, bold: true, underline: true } : { text: value, role }
      })
  return [side('added', 'removed'), side('removed', 'added')]
}
