/** Reads QR codes as a phone does, with a library that svc does not use. */
import jsqr from 'jsqr'

/** The types describe an ES module; the package is a CommonJS one. */
const jsQR = jsqr as unknown as typeof jsqr.default

/** Pixels of one module: readers of photographs want more than one. */
const SCALE = 4
const BLOCKS: Readonly<Record<string, readonly [upper: boolean, lower: boolean]>> = {
  ' ': [false, false],
  '▀': [true, false],
  '▄': [false, true],
  '█': [true, true],
}

/** Four bytes a pixel. */
export interface Pixels {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}

/** The text of the only code in a picture; undefined when none is found. Inverted codes are not read: not every phone does. */
export function readQrCode({ data, width, height }: Pixels): string | undefined {
  return jsQR(data, width, height, { inversionAttempts: 'dontInvert' })?.data
}

/** The text of the code in what a command printed: rows of black half blocks on white, as their colours say. */
export function readTerminalQrCode(output: string): string | undefined {
  const rows = [...output.matchAll(/^\u001b\[30;47m([ ▀▄█]+)\u001b\[0m$/gm)].map(([, row = '']) => row)
  return readBlocks(rows)
}

/** The same on the screen of a terminal, which leaves out blanks at the ends of lines: four rows and columns of them are light. */
export function readScreenQrCode(screen: string): string | undefined {
  const rows = screen.split('\n').filter((row) => /^ {4}[ ▀▄█]*[▀▄█][ ▀▄█]*$/.test(row))
  const columns = Math.max(0, ...rows.map((row) => row.length)) + 4
  const blank = Array<string>(2).fill('')
  return readBlocks([...blank, ...rows, ...blank].map((row) => row.padEnd(columns)))
}

/** The same for rows without colours, of which dark blocks are dark. */
export function readBlocks(rows: readonly string[]): string | undefined {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const modules = rows.flatMap((row) => [0, 1].map((half) => [...row].map((block) => BLOCKS[block]?.[half] ?? false)))
  const [width, height] = [columns * SCALE, modules.length * SCALE]
  if (width === 0) return undefined
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (modules[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)])
        data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
  return readQrCode({ data, width, height })
}
