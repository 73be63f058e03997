/** Where one types on a full screen. */
import type { Completion } from './completions.ts'
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
} from './declarations.ts'
import type { ImageContent } from './messages.ts'
import type { TerminalInput, TerminalScreen } from './terminal-screen.ts'
import type { StyledLine, StyledSpan } from './text-layout.ts'

/** A text with a cursor, and the keys of the composer. @since 0.1 */
export interface TextField {
  readonly isEmpty: boolean
  readonly text: string
  /** The text before the cursor. */
  readonly before: string
  insert(text: string): void
  /** Whether the key does something here; names are those of `TerminalInput`. */
  key(name: string): boolean
  /** Moves the cursor a row up or down; false where there is none. */
  move(rows: -1 | 1): boolean
  /** The rows around the cursor, and where it stands in them. */
  view(room: { readonly width: number; readonly rows: number }): {
    readonly lines: readonly StyledLine[]
    readonly cursor: { readonly row: number; readonly column: number }
  }
}

/** The size and the content of a composer. @since 0.2 */
export interface ComposerSize {
  readonly width: number
  readonly rows: number
  /** Stands before the first row. */
  readonly prompt: StyledLine
  /** The placeholder. */
  readonly placeholder?: string
}

/** The interface around a composer, as the composer sees it. Functions may be called until `close`. @since 0.1 */
export interface ComposerHost {
  /** The folder of the conversation: what is dropped from it is named relative to it. */
  readonly cwd: string
  complete(text: string): Promise<readonly Completion[]>
  /** It looks different now, without a key. */
  changed(): void
  /** Something went wrong that the user should read. Nothing that was typed is lost. */
  failed(error: unknown): void
}

/** Where one types: text with history, completion, folded pastes and pictures. @since 0.1 */
export interface Composer extends AsyncDisposable {
  /** Neither text nor pictures, and no search. */
  readonly empty: boolean
  /** What is typed, with folds expanded. */
  readonly text: string
  /** `submit` if the content is to be sent: `take` returns it. */
  input(input: TerminalInput): 'taken' | 'ignored' | 'submit'
  /** The menu, the pictures and the text, and the position of the cursor; never wider than `width`. */
  lines(room: ComposerSize): {
    readonly lines: readonly StyledLine[]
    readonly cursor: { readonly row: number; readonly column: number }
  }
  /** Returns the text with folds expanded, and clears the composer. */
  take(): { readonly text: string; readonly images: readonly ImageContent[] }
  /** Drops the text; pictures stay. */
  clear(): void
  /** At the cursor. */
  insert(text: string): void
  /** In the place of all that is there. */
  set(text: string): void
  /** Attaches the picture of a file, or that in the clipboard. */
  attach(source: string | 'clipboard'): Promise<void>
  /** Lets the user continue in an external editor. */
  openEditor(screen: TerminalScreen): Promise<void>
  /** A text to be typed for something else, such as a filter. */
  field(): TextField
  /** Ends what is under way; resolves when the history is written. */
  close(): Promise<void>
}

/** A part of what is typed that looks different. @since 0.2 */
export interface ComposerMark extends Omit<StyledSpan, 'text' | 'link'> {
  /** UTF-16 code units of the text. */
  readonly from: number
  readonly to: number
}

/** Marks words where one types: an address, a misspelt word. Contributed to `ComposerMarks`. @since 0.2 */
export interface ComposerMarker extends Ordered {
  readonly name: string
  /** The text as it is seen: a folded paste is its label. Pure and cheap: called at each key. At most 500 marks count. */
  marks(text: string): readonly ComposerMark[]
}
/** @since 0.2 */
export const ComposerMarks: ExtensionPoint<ComposerMarker> = extensionPoint(
  'composer-marks',
  (marker) => marker.name,
  undefined,
  { problem: checkMembers({ name: 'string', marks: 'function' }) },
)

/** Opens them. @since 0.1 */
export interface Composers {
  open(host: ComposerHost): Promise<Composer>
}
export const Composers: Service<Composers> = defineService('composers')
