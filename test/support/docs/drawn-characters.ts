/**
 * Box drawing and block elements (Unicode charts U2500 and U2580) as shapes: fonts disagree about where lines begin and
 * end, and a frame with gaps is no frame.
 */

/** A cell on the canvas, in pixels. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** What is drawn instead of a character: a line to be stroked, or a field to be filled. */
export interface Shape {
  readonly kind: 'stroke' | 'strong' | 'fill'
  readonly path: string
  /** Of a field that is not filled entirely. */
  readonly opacity?: number
}

/** Arms of each character: up, right, down, left. */
const arms: Readonly<Record<string, string>> = {
  '─': 'rl',
  '│': 'ud',
  '┌': 'rd',
  '┐': 'dl',
  '└': 'ur',
  '┘': 'ul',
  '├': 'urd',
  '┤': 'udl',
  '┬': 'rdl',
  '┴': 'url',
  '┼': 'urdl',
  '╴': 'l',
  '╵': 'u',
  '╶': 'r',
  '╷': 'd',
}
const strongArms: Readonly<Record<string, string>> = { '━': 'rl', '┃': 'ud', '╹': 'u', '╻': 'd', '╸': 'l', '╺': 'r' }
/** Round corners: from the end of the first arm to that of the second. */
const corners: Readonly<Record<string, readonly [string, string]>> = {
  '╭': ['d', 'r'],
  '╮': ['l', 'd'],
  '╯': ['u', 'l'],
  '╰': ['u', 'r'],
}
const shades: Readonly<Record<string, number>> = { '░': 0.25, '▒': 0.5, '▓': 0.75 }
const FULL = 0x2588
const LOWER_FIRST = 0x2581
const LEFT_LAST = 0x258f
const UPPER_HALF = '▀'
const RIGHT_HALF = '▐'

/** The shape of a character; undefined when it is left to the font. */
export function getShape(character: string, place: Place): Shape | undefined {
  const { x, y, width, height } = place
  const opacity = shades[character]
  if (opacity !== undefined) return { kind: 'fill', path: field(x, y, width, height), opacity }
  const corner = corners[character]
  if (corner) return { kind: 'stroke', path: round(corner, place) }
  const light = arms[character]
  const heavy = strongArms[character]
  if (light ?? heavy) return { kind: light ? 'stroke' : 'strong', path: lines(light ?? heavy ?? '', place) }
  const code = character.codePointAt(0) ?? 0
  if (character === UPPER_HALF) return { kind: 'fill', path: field(x, y, width, height / 2) }
  if (character === RIGHT_HALF) return { kind: 'fill', path: field(x + width / 2, y, width / 2, height) }
  if (code < LOWER_FIRST || code > LEFT_LAST) return undefined
  if (code > FULL) return { kind: 'fill', path: field(x, y, (width * (LEFT_LAST + 1 - code)) / 8, height) }
  const tall = (height * (code - LOWER_FIRST + 1)) / 8
  return { kind: 'fill', path: field(x, y + height - tall, width, tall) }
}

function field(x: number, y: number, width: number, height: number): string {
  return `M${round2(x)} ${round2(y)}h${round2(width)}v${round2(height)}h${round2(-width)}z`
}

function lines(named: string, { x, y, width, height }: Place): string {
  const [middleX, middleY] = [x + width / 2, y + height / 2]
  if (named === 'rl') return `M${round2(x)} ${round2(middleY)}h${round2(width)}`
  if (named === 'ud') return `M${round2(middleX)} ${round2(y)}v${round2(height)}`
  const ways: Readonly<Record<string, string>> = {
    u: `v${round2(-height / 2)}`,
    d: `v${round2(height / 2)}`,
    l: `h${round2(-width / 2)}`,
    r: `h${round2(width / 2)}`,
  }
  return [...named].map((arm) => `M${round2(middleX)} ${round2(middleY)}${ways[arm]}`).join('')
}

function round([from, to]: readonly [string, string], { x, y, width, height }: Place): string {
  const [middleX, middleY] = [x + width / 2, y + height / 2]
  const ends: Readonly<Record<string, string>> = {
    u: `${round2(middleX)} ${round2(y)}`,
    d: `${round2(middleX)} ${round2(y + height)}`,
    l: `${round2(x)} ${round2(middleY)}`,
    r: `${round2(x + width)} ${round2(middleY)}`,
  }
  return `M${ends[from]}Q${round2(middleX)} ${round2(middleY)} ${ends[to]}`
}

/** Two places after the point are more than anyone sees. */
function round2(value: number): string {
  return String(Math.round(value * 100) / 100)
}
