/** The characters that stand for themselves whatever follows from the same set: most text needs no more than this. */

/** From, to, cells. No mark, joiner or selector is among them, so each is a separate grapheme. */
const ranges: readonly (readonly [number, number, 1 | 2])[] = [
  [0x20, 0x7e, 1],
  [0xa0, 0xac, 1],
  [0xae, 0x2ff, 1],
  [0x391, 0x3ce, 1],
  [0x410, 0x44f, 1],
  [0x2010, 0x2027, 1],
  [0x2190, 0x2193, 1],
  [0x2500, 0x259f, 1],
  [0x3000, 0x3029, 2],
  [0x3041, 0x3096, 2],
  [0x30a1, 0x30fe, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2],
  [0xff01, 0xff5e, 2],
]

/** Cells of a plain UTF-16 unit, 0 for one that is not plain. */
export function plainCells(unit: number): 0 | 1 | 2 {
  if (unit < 0x7f) return unit >= 0x20 ? 1 : 0
  for (const [from, to, cells] of ranges) if (unit <= to) return unit >= from ? cells : 0
  return 0
}

/** Cells of a text that is plain throughout, else undefined. */
export function plainWidth(text: string): number | undefined {
  let cells = 0
  for (let index = 0; index < text.length; index++) {
    const own = plainCells(text.charCodeAt(index))
    if (own === 0) return undefined
    cells += own
  }
  return cells
}
