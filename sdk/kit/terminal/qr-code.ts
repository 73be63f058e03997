/** Addresses that a phone scans from a terminal. */
import type { CliContext } from '../../cli.ts'
import { safeLine } from './safe-text.ts'

/** Light modules around the code, without which readers do not find it (ISO/IEC 18004, 6.3.8). */
const QUIET_ZONE = 4
/** Black on white, whatever the colours of the terminal are: a code in other colours is not read by every phone. */
const BEGIN = '\u001b[30;47m'
const END = '\u001b[0m'
/** Two modules above each other are one character. */
const BLOCKS = [' ', '▄', '▀', '█'] as const

/**
 * Prints an address for people who have a phone at hand: as a QR code, and below it as text. Only as text where the code could not be
 * scanned: without colours, without a terminal, or in one that is too narrow or too low.
 * @since 0.2
 */
export async function printAddress(
  io: Pick<CliContext, 'out' | 'color' | 'columns' | 'terminal'>,
  address: string,
): Promise<void> {
  const rows = io.color ? await drawQrCode(address) : []
  const width = rows[0]?.length ?? 0
  // A code that has to be scrolled cannot be scanned.
  const height = io.terminal?.output.rows ?? Number.POSITIVE_INFINITY
  if (width > 0 && width <= io.columns && rows.length < height)
    io.out(`${rows.map((row) => `${BEGIN}${row}${END}\n`).join('')}`)
  io.out(`${safeLine(address)}\n`)
}

/** Rows of equal length; empty if the text is too long for a code. */
async function drawQrCode(text: string): Promise<readonly string[]> {
  const { encode } = await import('uqr')
  const data = tryEncode(() => encode(text, { ecc: 'L', border: QUIET_ZONE }).data)
  const rows: string[] = []
  for (let at = 0; at < data.length; at += 2) {
    const [upper = [], lower = []] = [data[at], data[at + 1]]
    rows.push(upper.map((isDark, column) => BLOCKS[(isDark ? 2 : 0) + (lower[column] ? 1 : 0)]).join(''))
  }
  return rows
}

function tryEncode(encode: () => boolean[][]): boolean[][] {
  try {
    return encode()
  } catch {
    // 2,953 bytes is the most that a code holds.
    return []
  }
}
