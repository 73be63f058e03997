/**
 * How far lines of one message are indented. Markdown takes a line for code that is indented by four columns more than the
 * list it stands in (https://spec.commonmark.org/0.31.2/#indented-code-blocks), and the list may have begun in the message
 * before, or may be one with numbers, which are text to a platform.
 */
import { BULLET, type Row } from './rows.ts'

/** More than the list around it. */
const MAX_LEVELS = 3
const INDENT = 2

/** Where the text of an item begins: in the document and in the message. */
interface Item {
  readonly column: number
  readonly shown: number
}

/** The same rows; those that stand too deep for the items before them are moved to the left. */
export function limitLevels(rows: readonly Row[]): readonly Row[] {
  let items: Item[] = []
  return rows.map((row, at) => {
    if (row.kind === 'code') {
      items = []
      return row
    }
    const before = rows[at - 1]
    if (before?.kind === 'text' && before.quote !== row.quote) items = []
    items = items.filter(({ column }) => column <= row.indent)
    const around = items.at(-1) ?? { column: 0, shown: 0 }
    const indent = around.shown + Math.min(row.indent - around.column, MAX_LEVELS)
    if (row.mark === BULLET) items.push({ column: row.indent + INDENT, shown: indent + INDENT })
    return { ...row, indent }
  })
}
