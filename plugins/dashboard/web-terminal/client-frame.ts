/** Frames of a client: keystrokes, or the size of its window in one whole frame, `ESC [ RESIZE:<cols>;<rows> ]`. */

/** In cells. */
export interface TerminalSize {
  readonly cols: number
  readonly rows: number
}

/** Before a client has said how large its window is. */
export const FIRST_SIZE: TerminalSize = { cols: 80, rows: 24 }
const MAX_COLS = 2000
const MAX_ROWS = 1000

const RESIZE = /^\x1b\[RESIZE:(\d{1,9});(\d{1,9})\]$/
/** The longest frame that can be a size. */
const MAX_RESIZE_BYTES = 32

export type ClientFrame = { readonly resize: TerminalSize } | { readonly typed: Uint8Array }

export function parseFrame(frame: string | Uint8Array): ClientFrame {
  const bytes = typeof frame === 'string' ? Buffer.from(frame) : frame
  if (bytes.length <= MAX_RESIZE_BYTES && bytes[0] === 0x1b) {
    const [, cols, rows] = RESIZE.exec(Buffer.from(bytes).toString('latin1')) ?? []
    if (cols && rows) return { resize: { cols: clamp(Number(cols), MAX_COLS), rows: clamp(Number(rows), MAX_ROWS) } }
  }
  return { typed: bytes }
}

function clamp(value: number, most: number): number {
  return Math.max(1, Math.min(most, value))
}
