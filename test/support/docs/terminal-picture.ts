/** A screen of a terminal as a picture: SVG in its own window, without scripts, for any background. */
import { getShape, type Shape } from './drawn-characters.ts'
import { type Cell, type CellStyle, terminalCells } from './terminal-cells.ts'

/** What is to be seen. */
export interface TerminalScene {
  /** The output of `tmux capture-pane -e -p`. */
  readonly capture: string
  readonly columns: number
  readonly rows: number
  /** What stands in the title bar, and what is read out instead of the picture. */
  readonly title: string
  readonly description: string
  /** Where the cursor is, counted from 0; undefined when it is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number }
}

const CELL = { width: 8.4, height: 18 }
const FONT_SIZE = 14
const BASELINE = 13.2
const BAR = 32
const PADDING = 12
const TEXT = '#d5d9e0'
const BACKGROUND = '#15171c'
const FONTS = "ui-monospace,'SF Mono','Cascadia Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

/** The picture. The same scene makes the same bytes. */
export function terminalPicture({ capture, columns, rows, title, description, cursor }: TerminalScene): string {
  const width = number(columns * CELL.width + 2 * PADDING)
  const height = number(rows * CELL.height + BAR + PADDING)
  const lines = terminalCells(capture, columns).slice(0, rows)
  const looks = new Looks()
  const drawn = lines.map((cells, row) => [
    backgrounds(cells, row, looks),
    shapes(cells, row, looks),
    texts(cells, row, looks),
  ])
  const at =
    cursor &&
    `<path class="c" d="M${x(cursor.column)} ${number(y(cursor.row))}h${CELL.width}v${CELL.height}h-${CELL.width}z"/>`
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, index) => `<circle cx="${18 + 20 * index}" cy="16" r="6" fill="${color}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(description)}</title>`,
    `<style>text{font:${FONT_SIZE}px ${FONTS};white-space:pre;fill:${TEXT};font-variant-ligatures:none}`,
    `path{fill:none}.c{fill:${TEXT};opacity:.45}${looks.css()}</style>`,
    `<rect x=".5" y=".5" width="${number(Number(width) - 1)}" height="${number(Number(height) - 1)}" rx="9" fill="${BACKGROUND}" stroke="#6e7681" stroke-opacity=".6"/>`,
    ...dots,
    `<text x="${number(Number(width) / 2)}" y="21" text-anchor="middle" opacity=".7">${escaped(title)}</text>`,
    ...drawn.map(([behind]) => behind),
    ...drawn.map(([, lined, written]) => `${lined}${written}`),
    at ?? '',
    '</svg>',
    '',
  ]
    .filter((line, index, all) => line !== '' || index === all.length - 1)
    .join('\n')
}

/** Looks that occur, each as a class of one or two letters. */
class Looks {
  readonly #classes = new Map<string, string>()

  /** The class for some declarations; nothing for none. */
  of(declarations: string): string {
    if (!declarations) return ''
    const known = this.#classes.get(declarations) ?? `s${this.#classes.size.toString(36)}`
    this.#classes.set(declarations, known)
    return ` class="${known}"`
  }

  css(): string {
    return [...this.#classes].map(([declarations, name]) => `.${name}{${declarations}}`).join('')
  }
}

/** What is painted behind and in front, with inverse worked out. */
function inks({ color, background, inverse }: CellStyle): { readonly front: string; readonly behind: string } {
  const [front, behind] = [color ?? TEXT, background ?? BACKGROUND]
  return inverse ? { front: behind, behind: front } : { front, behind }
}

function backgrounds(cells: readonly Cell[], row: number, looks: Looks): string {
  const colored = cells.filter(({ style }) => inks(style).behind !== BACKGROUND)
  return runs(colored, (cell) => inks(cell.style).behind)
    .map((run) => {
      const attributes = looks.of(`fill:${inks(run.style).behind}`)
      return `<path${attributes} d="M${x(run.column)} ${number(y(row))}h${number(run.width * CELL.width)}v${CELL.height}H${x(run.column)}z"/>`
    })
    .join('')
}

function shapes(cells: readonly Cell[], row: number, looks: Looks): string {
  const paths = new Map<string, string>()
  for (const run of runs(cells.filter(isDrawn), ({ text, style }) =>
    isLong(text) ? `${text}${declared(style)}` : undefined,
  )) {
    const shape = getShape(run.text[0] ?? '', {
      x: Number(x(run.column)),
      y: y(row),
      width: run.width * CELL.width,
      height: CELL.height,
    })
    if (!shape) continue
    const look = looks.of(drawing(shape, run.style))
    paths.set(look, `${paths.get(look) ?? ''}${shape.path}`)
  }
  return [...paths].map(([look, path]) => `<path${look} d="${path}"/>`).join('')
}

/** Whether cells of it beside each other make one long shape. */
function isLong(text: string): boolean {
  return '─━█░▒▓▀▁▂▃▄▅▆▇'.includes(text)
}

function drawing({ kind, opacity = 1 }: Shape, style: CellStyle): string {
  const { front } = inks(style)
  const strength = opacity * (style.dim ? 0.6 : 1)
  const faded = strength < 1 ? `;opacity:${number(strength)}` : ''
  if (kind === 'fill') return `fill:${front}${faded}`
  return `stroke:${front};stroke-width:${kind === 'strong' ? 2.4 : 1.2}${faded}`
}

function isDrawn({ text }: Cell): boolean {
  return getShape(text, { x: 0, y: 0, ...CELL }) !== undefined
}

/** Letters that each font for terminals has in its own width. */
const SURE = /^[ -~\u00a1-\u017f\u2013\u2014\u2018-\u201d\u2026]$/
/** A longer gap divides, so that nothing depends on how blanks are kept. */
const WORDS = /[^ ]+(?: [^ ]+)*/g

/** Text is stretched to its cells, so that it stands right in any font; what fonts disagree about stands alone. */
function texts(cells: readonly Cell[], row: number, looks: Looks): string {
  const getKind = ({ text, style }: Cell) => (SURE.test(text) ? declared(style) : undefined)
  const seen = cells.filter((cell) => !isDrawn(cell))
  const at = number(y(row) + BASELINE)
  return runs(seen, getKind)
    .flatMap((run) => {
      const style = declared(run.style)
      if (!SURE.test([...run.text][0] ?? '')) {
        const middle = number(PADDING + (run.column + run.width / 2) * CELL.width)
        const look = looks.of(['text-anchor:middle', style].filter(Boolean).join(';'))
        return [`<text${look} x="${middle}" y="${at}">${escaped(run.text)}</text>`]
      }
      return [...run.text.matchAll(WORDS)].map((found) => {
        const [words] = found
        const length = words.length > 1 ? ` textLength="${number(words.length * CELL.width)}"` : ''
        return `<text${looks.of(style)} x="${x(run.column + found.index)}" y="${at}"${length}>${escaped(words)}</text>`
      })
    })
    .join('')
}

function declared(style: CellStyle): string {
  const { front } = inks(style)
  const lines = [style.underline ? 'underline' : '', style.strike ? 'line-through' : ''].filter(Boolean).join(' ')
  return [
    front === TEXT ? '' : `fill:${front}`,
    style.bold ? 'font-weight:bold' : '',
    style.italic ? 'font-style:italic' : '',
    style.dim ? 'opacity:.6' : '',
    lines ? `text-decoration:${lines}` : '',
  ]
    .filter(Boolean)
    .join(';')
}

/** Cells beside each other. */
interface Run {
  readonly column: number
  readonly width: number
  readonly text: string
  readonly style: CellStyle
}

/** Joins neighbours of one kind; those without a kind stay alone. The text is that of the first for shapes. */
function runs(cells: readonly Cell[], getKind: (cell: Cell) => string | undefined): readonly Run[] {
  const found: Run[] = []
  let lastKind: string | undefined
  for (const cell of cells) {
    const kind = getKind(cell)
    const last = found.at(-1)
    if (last && kind !== undefined && kind === lastKind && last.column + last.width === cell.column)
      found[found.length - 1] = { ...last, width: last.width + cell.width, text: last.text + cell.text }
    else found.push(cell)
    lastKind = kind
  }
  return found
}

function x(column: number): string {
  return number(PADDING + column * CELL.width)
}

function y(row: number): number {
  return BAR + row * CELL.height
}

function number(value: number): string {
  return String(Math.round(value * 100) / 100)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
