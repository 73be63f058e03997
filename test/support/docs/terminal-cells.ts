/**
 * What `tmux capture-pane -e -p` says of a screen, as cells. SGR after ECMA-48 (8.3.117) with the colours of xterm
 * (invisible-island.net/xterm/ctlseqs); links (OSC 8) and all other sequences are left out.
 */
import { eastAsianWidth } from 'get-east-asian-width'

/** How a cell looks. Colours are `#rrggbb`; without one it is that of the terminal. */
export interface CellStyle {
  readonly color?: string
  readonly background?: string
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strike?: boolean
  readonly inverse?: boolean
}

/** One character with what is joined to it. */
export interface Cell {
  readonly text: string
  /** Counted from 0. */
  readonly column: number
  readonly width: 1 | 2
  readonly style: CellStyle
}

const SIXTEEN = [
  '#2e3440 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4',
  '#6b7280 #ff8b92 #b5e08f #ffd68a #8ac8ff #dd9bf0 #7fd6e0 #ffffff',
].flatMap((colors) => colors.split(' '))
const CUBE = [0, 95, 135, 175, 215, 255]

const flags: Readonly<Record<number, CellStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
}

// Operating system commands end with BEL or ST; what is no SGR ends with another character than `m`. Then characters.
const PIECES =
  /\x1b\](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)|\x1b\[([0-9:;]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()].|\x1b.|([^\x00-\x1f])/gsu
/** Marks, joiners and selectors have no cell: they belong to the character before. */
const JOINED = /^(?:\p{Mn}|\p{Me}|\p{Cf}|\p{Emoji_Modifier})$/u
const JOINER = '\u200d'

/** A list of cells for each line. A style holds over the end of a line. What is beyond `columns` is left out. */
export function terminalCells(capture: string, columns: number): readonly (readonly Cell[])[] {
  let style: CellStyle = {}
  const lines = capture.replace(/\n$/, '').split('\n')
  return lines.map((line) => {
    const cells: Cell[] = []
    for (const [, parameters, character] of line.matchAll(PIECES)) {
      if (parameters !== undefined) style = styleAfter(style, parameters)
      if (character !== undefined) put(cells, character, style)
    }
    return cells.filter(({ column, width }) => column + width <= columns)
  })
}

function put(cells: Cell[], text: string, style: CellStyle): void {
  const last = cells.at(-1)
  if (last && (JOINED.test(text) || last.text.endsWith(JOINER)))
    cells[cells.length - 1] = { ...last, text: last.text + text }
  else {
    const column = last ? last.column + last.width : 0
    cells.push({ text, column, width: eastAsianWidth(text.codePointAt(0) ?? 0), style })
  }
}

function styleAfter(before: CellStyle, parameters: string): CellStyle {
  let style = before
  // `38:2::r:g:b` has an empty place for a colour space, `38;2;r;g;b` has none.
  const codes = parameters
    .replace(/([34]8:2):[0-9]*:(?=[0-9]+:[0-9]+:[0-9]+)/g, '$1:')
    .split(/[:;]/)
    .map(Number)
  while (codes.length > 0) {
    const code = codes.shift() ?? 0
    if (code === 0) style = {}
    else if (code === 38 || code === 48) style = withColor(style, code === 38, extended(codes))
    else if (code === 39 || code === 49) style = withColor(style, code === 39, undefined)
    else style = { ...style, ...flags[code], ...plainColor(code) }
  }
  return style
}

function withColor({ color, background, ...rest }: CellStyle, isText: boolean, value: string | undefined): CellStyle {
  const [text, behind] = isText ? [value, background] : [color, value]
  return { ...rest, ...(text ? { color: text } : {}), ...(behind ? { background: behind } : {}) }
}

function plainColor(code: number): CellStyle {
  const [tens, ones] = [Math.floor(code / 10), code % 10]
  if (ones > 7) return {}
  if (tens === 3 || tens === 9) return { color: indexed(ones + (tens === 9 ? 8 : 0)) }
  if (tens === 4 || tens === 10) return { background: indexed(ones + (tens === 10 ? 8 : 0)) }
  return {}
}

/** Takes what belongs to it off the codes. */
function extended(codes: number[]): string | undefined {
  const kind = codes.shift()
  if (kind === 5) return indexed(codes.shift() ?? 0)
  return kind === 2 ? hex(codes.splice(0, 3)) : undefined
}

function indexed(index: number): string {
  if (index < 16) return SIXTEEN[index] ?? '#000000'
  if (index >= 232) return hex(Array.from({ length: 3 }, () => 8 + 10 * (index - 232)))
  const at = index - 16
  return hex([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => CUBE[step] ?? 0))
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.min(255, part).toString(16).padStart(2, '0')).join('')}`
}
