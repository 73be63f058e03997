/** Text in cells of a terminal: how wide it is, where it breaks. */

import { defineService, type Service } from './declarations.ts'
import type { ThemeColor } from './display.ts'

/** A piece of a line. It holds no control character, no tab and no line break. @since 0.2 */
export interface StyledSpan {
  readonly text: string
  /** Left out: `text`. */
  readonly role?: ThemeColor
  /**
   * `#rrggbb`, in place of the colour of the role: the nearest one that the terminal has; nothing with `NO_COLOR`. Prefer roles:
   * they fit the theme that the user chose.
   */
  readonly color?: string
  readonly background?: string
  readonly bold?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strike?: boolean
  /** An address that the terminal may open (OSC 8). */
  readonly link?: string
}

/** A line of a terminal, or of any length before it is wrapped. @since 0.2 */
export type StyledLine = readonly StyledSpan[]

/** All functions are pure and take any text. @since 0.1 */
export interface TextLayout {
  /** What a person sees as one character each: letters with their marks, emoji made of several. */
  graphemes(text: string): readonly string[]
  /** Cells that it takes: 0, 1 or 2 for each grapheme. */
  width(text: string): number
  /**
   * Without what would do something to a terminal; tabs become spaces, every end of a line a line feed. `visible` shows
   * controls as `␛` instead.
   */
  clean(text: string, controls?: 'drop' | 'visible'): string
  lineWidth(line: StyledLine): number
  /**
   * At line feeds, and at words where that is possible; never inside a grapheme. `indent` is put before each line but
   * the first.
   */
  wrap(line: StyledLine, width: number, indent?: StyledLine): readonly StyledLine[]
  /** The beginning that fits, with `…` when something is missing. */
  cut(line: StyledLine, width: number): StyledLine
  /** Filled up with spaces, or cut. */
  pad(line: StyledLine, width: number): StyledLine
}
export const TextLayout: Service<TextLayout> = defineService('text-layout', { free: true })
