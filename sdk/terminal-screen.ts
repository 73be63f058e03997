/** A terminal as a grid of cells, and what is typed at it. Its provider is the only code that talks to the terminal. */

import { defineService, type Service } from './declarations.ts'
import type { Theme } from './display.ts'
import type { Registration } from './plugin.ts'
import type { StyledLine } from './text-layout.ts'

/** Input of the user at the terminal. @since 0.1 */
export type TerminalInput =
  /** `name` is `enter`, `escape`, `tab`, `up`, `pageup`, `f1`, ... or a character; `C-`, `M-` and `S-` stand before it. */
  | {
      readonly type: 'key'
      readonly name: string
      /** It is let go. Only while `TerminalScreen.releases` is on, and where the terminal reports it. */
      readonly released?: true
    }
  /** Characters that were typed: whole graphemes. */
  | { readonly type: 'text'; readonly text: string }
  /** What was pasted, with line feeds only. */
  | { readonly type: 'paste'; readonly text: string }
  | {
      readonly type: 'mouse'
      readonly action: 'press' | 'release' | 'drag' | 'wheel-up' | 'wheel-down'
      readonly row: number
      readonly column: number
    }
  | { readonly type: 'resize' }
  | { readonly type: 'focus'; readonly on: boolean }
  /** The terminal was closed. */
  | { readonly type: 'closed' }

/** What the terminal is to show: as many lines as it has rows; longer lines are cut. @since 0.2 */
export interface Frame {
  readonly lines: readonly StyledLine[]
  /** Where it blinks; left out: nowhere. */
  readonly cursor?: { readonly row: number; readonly column: number }
}

/**
 * A terminal that was taken over. It is as it was before once `close` returns, and also after a crash or a signal.
 * @since 0.1
 */
export interface TerminalScreen extends AsyncDisposable {
  readonly columns: number
  readonly rows: number
  /** How many colours it has: 0 with `NO_COLOR`. */
  readonly colors: 0 | 16 | 256 | 16777216
  /** Shows it; only what differs from the picture before is written. */
  draw(picture: Frame): void
  /** The next `draw` rewrites the whole screen. */
  forget(): void
  look(skin: Theme): void
  onInput(listener: (input: TerminalInput) => void): Registration
  /** Gives the terminal back while `work` runs: for an editor. */
  lend<T>(work: () => Promise<T>): Promise<T>
  /** Stops this process as Ctrl-Z does, and takes the terminal over again afterwards. */
  suspend(): Promise<void>
  /** The title of the window. */
  title(text: string): void
  bell(): void
  /** A notification of the desktop. False: the terminal is not known to show any, and nothing was written. */
  notify?(title: string, body: string): boolean
  /**
   * Reports keys that are released, where the terminal has kitty's keyboard protocol. Off at first.
   * https://sw.kovidgoyal.net/kitty/keyboard-protocol/#report-events
   */
  releases?(on: boolean): void
  /** Captures the mouse, or leaves it to the terminal. Absent where that cannot be changed. */
  mouse?(captured: boolean): void
  /** Puts a text into the clipboard (OSC 52), where the terminal allows that. */
  copy(text: string): void
  close(): Promise<void>
}

/** Provided by the owner of the terminal. @since 0.1 */
export interface TerminalScreens {
  /** Throws `TERMINAL_UNUSABLE` if these streams are not a terminal, or it is a dumb terminal. */
  open(options: {
    readonly input: NodeJS.ReadStream
    readonly output: NodeJS.WriteStream
    readonly skin: Theme
    readonly mouse: boolean
  }): Promise<TerminalScreen>
}
export const TerminalScreens: Service<TerminalScreens> = defineService('terminal-screens')
