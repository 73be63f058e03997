/** Colours of a skin as the terminal's own: 16 million, 256 or 16 of them. */

export type ColorCount = 0 | 16 | 256 | 16777216

type Rgb = readonly [number, number, number]

/** What xterm shows for the sixteen colours: what others show is near. */
const sixteen: readonly Rgb[] = [
  ...[0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5],
  ...[0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff],
].map((value) => [value >> 16, (value >> 8) & 255, value & 255])
/** Steps of the 6x6x6 cube that begins at 16; a ramp of 24 greys (8, 18, ... 238) begins at 232. */
const steps = [0, 95, 135, 175, 215, 255]

/** The parameters of SGR for `#rrggbb`; empty for an invalid colour or without colours. */
export function colorCode(hex: string, ground: 'color' | 'background', colors: ColorCount): string | undefined {
  const digits = /^#([0-9a-f]{6})$/i.exec(hex)?.[1]
  if (digits === undefined || colors === 0) return undefined
  const value = Number.parseInt(digits, 16)
  const rgb: Rgb = [value >> 16, (value >> 8) & 255, value & 255]
  const base = ground === 'color' ? 38 : 48
  if (colors === 16777216) return `${base};2;${rgb.join(';')}`
  if (colors === 256) return `${base};5;${nearestOf256(rgb)}`
  const index = findNearest(rgb, sixteen)
  return String((ground === 'color' ? 30 : 40) + (index < 8 ? index : index + 52))
}

function nearestOf256(rgb: Rgb): number {
  const indexes = rgb.map((part) => nearestStep(part)) as unknown as Rgb
  const cube = indexes.map((index) => steps[index] ?? 0) as unknown as Rgb
  const average = (rgb[0] + rgb[1] + rgb[2]) / 3
  const grey = Math.max(0, Math.min(23, Math.round((average - 8) / 10)))
  const shade = 8 + grey * 10
  if (distance(rgb, [shade, shade, shade]) < distance(rgb, cube)) return 232 + grey
  return 16 + indexes[0] * 36 + indexes[1] * 6 + indexes[2]
}

function nearestStep(part: number): number {
  return findNearest(
    [part, 0, 0],
    steps.map((step): Rgb => [step, 0, 0]),
  )
}

function findNearest(rgb: Rgb, table: readonly Rgb[]): number {
  let best = 0
  for (let index = 1; index < table.length; index++)
    if (distance(rgb, table[index] as Rgb) < distance(rgb, table[best] as Rgb)) best = index
  return best
}

/** As people see it: green counts most. https://www.compuphase.com/cmetric.htm */
function distance(one: Rgb, other: Rgb): number {
  const red = (one[0] + other[0]) / 2
  const [r, g, b] = [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
  return (2 + red / 256) * r * r + 4 * g * g + (2 + (255 - red) / 256) * b * b
}
