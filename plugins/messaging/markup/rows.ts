/** A document as rows: one per line of a message. The text can be cut between rows, and within rows at words. */

export type Style = 'bold' | 'italic' | 'strike'

/** Text of one look. */
export interface Run {
  readonly text: string
  /** From the outermost to the innermost. */
  readonly styles: readonly Style[]
  readonly isCode?: true
  /** `text` is that of its runs. */
  readonly link?: { readonly address: string; readonly runs: readonly Run[] }
}

/** A line of text. */
export interface TextRow {
  readonly kind: 'text'
  /** Preceded by a blank line. */
  readonly gap: boolean
  /** How many quotations it is nested in. */
  readonly quote: number
  /** Columns before the mark. */
  readonly indent: number
  /** Of an item of a list: `bullet`, `12. ` or nothing. */
  readonly mark: string
  /** 1 to 6; 0 for none. */
  readonly heading: number
  readonly runs: readonly Run[]
}

/** A line of code. */
export interface CodeRow {
  readonly kind: 'code'
  readonly gap: boolean
  /** Lines of one fence have one number. */
  readonly block: number
  /** Empty or one word. */
  readonly language: string
  readonly text: string
}

export type Row = TextRow | CodeRow

/** The placeholder for the bullet of a platform in `TextRow.mark`. */
export const BULLET = 'bullet'

export const readRowText = (row: Row): string =>
  row.kind === 'code' ? row.text : row.runs.map(({ text }) => text).join('')
