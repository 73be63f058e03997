/** What is known of a terminal by its name: the terminfo reader of blessed, the only place that knows of it. */
import { readFileSync } from 'node:fs'
// @ts-expect-error The types of the package leave this file of it out.
import Untyped from 'blessed/lib/tput.js'

interface Tput {
  /** The file about a terminal, or the nearest one; throws if no file is found. */
  _prefix(name: string): string | null | undefined
  parseTerminfo(data: Buffer, file: string): { numbers: Record<string, number>; strings: Record<string, string> }
}
const Reader = Untyped as {
  new (options: { extended: boolean }): Tput
  ipaths: readonly (string | readonly string[])[]
}

/** What is used of a terminal's description. */
export interface Terminfo {
  /** -1: none. */
  readonly colors: number
  /** Moves the cursor as ECMA-48 says. */
  readonly isAnsi: boolean
  /** Switch to the alternate screen and back; empty if the terminal has no alternate screen. */
  readonly enter: string
  readonly leave: string
}

/** Of the environment at the start: TERMINFO and TERMINFO_DIRS, and the folders that systems use. */
const PLACES = Reader.ipaths.flat()

/** Undefined when this machine has no description of it that can be read. */
export function readTerminfo(name: string, places: readonly string[] = PLACES): Terminfo | undefined {
  if (!/^[\w.+-]+$/.test(name)) return undefined
  // An empty place would be the current folder, which is not to be trusted.
  Reader.ipaths = places.filter((place) => place.startsWith('/'))
  // Nothing is compiled (that prints what it cannot compile), and extensions are left out for the same reason.
  const reader = new Reader({ extended: false })
  try {
    const file = reader._prefix(name)
    if (!file) return undefined
    const { numbers, strings } = reader.parseTerminfo(withShortNumbers(readFileSync(file)), file)
    return {
      colors: numbers['max_colors'] ?? -1,
      isAnsi: withoutPadding(strings['cursor_address']).startsWith('\x1b[%i%p1%d;%p2%dH'),
      enter: withoutPadding(strings['enter_ca_mode']),
      leave: withoutPadding(strings['exit_ca_mode']),
    }
  } catch {
    // No such file, or damaged: the caller presumes what nearly all terminals are.
    return undefined
  }
}

function withoutPadding(text: string | undefined): string {
  return (text ?? '').replace(/\$<[\d.]+[*/]*>/g, '')
}

/** term(5): since ncurses 6.1 numbers may have 32 bits; the reader knows those of 16. */
function withShortNumbers(data: Buffer): Buffer {
  if (data.readUInt16LE(0) !== 0o1036) return data
  const [names = 0, flags = 0, count = 0] = [2, 4, 6].map((at) => data.readUInt16LE(at))
  const start = 12 + names + flags + ((names + flags) % 2)
  const short = Buffer.alloc(count * 2)
  for (let index = 0; index < count; index++) {
    const value = data.readInt32LE(start + index * 4)
    short.writeUInt16LE(value < 0 ? 0xffff : Math.min(value, 0x7fff), index * 2)
  }
  const head = Buffer.from(data.subarray(0, start))
  head.writeUInt16LE(0o432, 0)
  return Buffer.concat([head, short, data.subarray(start + count * 4)])
}
