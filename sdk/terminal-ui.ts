/** The full-screen interface on a terminal (plugin `tui`), and what other plugins add to it. */

import type { CliContext } from './cli.ts'
import type { ChoiceDialog, Conversation, ConversationNotice, ConversationSettings } from './conversations.ts'
import {
  checkMembers,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Service,
  type ServiceCaller,
} from './declarations.ts'
import type { DisplaySettings } from './display.ts'
import { findKeyProblem, parseKeyName } from './key-names.ts'
import type { Usage } from './messages.ts'
import type { Dispose } from './plugin.ts'
import type { Session } from './sessions.ts'
import type { TextField } from './terminal-composer.ts'
import type { TerminalInput } from './terminal-screen.ts'
import type { SessionEntry } from './terminal-transcript.ts'
import type { StyledLine } from './text-layout.ts'
import type { ToolCallView } from './tool-view.ts'
import type { TurnEvent } from './turn-events.ts'

/** A length on the screen: cells, or a share of the screen. @since 0.2 */
export type ViewSize = number | `${number}%`

/** Where a view stands, and whether it has the keys. @since 0.2 */
export interface ViewPlace {
  /** `full` (default) covers the conversation. Others put a window with a border over it, at that edge or corner. */
  readonly anchor?:
    | 'full'
    | 'center'
    | 'top'
    | 'bottom'
    | 'left'
    | 'right'
    | 'top-left'
    | 'top-right'
    | 'bottom-left'
    | 'bottom-right'
  /** Of a window with its border (default `60%`); never more than the screen has. */
  readonly width?: ViewSize
  /** At most as many rows, with the border (default `60%`); fewer when the view draws fewer lines. */
  readonly rows?: ViewSize
  /** Cells that are kept free between a window and the edges of the screen (default 1). */
  readonly margin?: number
  /** `false`: the keys stay with the conversation; Escape closes the view all the same. Default `true`. */
  readonly focus?: boolean
}

/**
 * What a plugin can do to the full screen of a conversation. Given to keys and overlays; others get it from `TerminalUi`.
 * @since 0.2
 */
export interface TuiContext {
  readonly conversation: Conversation
  /** Draws again soon. */
  redraw(): void
  /** Shows a screen of `Overlays` over everything. */
  show(screen: string): void
  /**
   * Opens a view. `view` is called once with the function that ends it; the promise resolves with what that function is
   * given, and with undefined when the user closes the view, the view fails (the plugin is reported), the plugin is
   * unloaded or the interface ends. It never rejects. Escape closes a view that does not take it; a second Escape in a row,
   * and Ctrl-C, close every view. Views may be opened above one another. While a question to the user is open, views are
   * hidden.
   */
  open<T>(view: (done: (result?: T) => void) => OverlayView, place?: ViewPlace): Promise<T | undefined>
  /** A short text that disappears after a while. */
  toast(text: string, tone?: 'info' | 'warning' | 'error'): void
  /** Asks with a list that can be filtered by typing. */
  choose(menu: ChoiceDialog): Promise<string | undefined>
  /** Puts text where the user types. */
  insert(text: string): void
  /** The text where the user types, which may be set: pictures stay. */
  draft: string
  /** A line with a cursor for a view, with the keys of the composer. */
  field(): TextField
  /** The title of the window; undefined returns it to svc. */
  setTitle(title: string | undefined): void
  /**
   * A notification of the desktop, by OSC 99, 9 or 777 as the terminal supports; `bell`: it is not known to support any, and
   * the bell was rung.
   */
  notify(title: string, body?: string): 'notification' | 'bell'
  bell(): void
  /** Gives the terminal to another program while `work` runs, then draws the screen again. Rejects as `work` does. */
  runProgram<T>(work: () => Promise<T>): Promise<T>
  /**
   * Adds an entry at the end of the conversation and stores it with the session; `EntryRenderers` draw it. Of one session the
   * last 200 are kept. Throws `ENTRY_INVALID` when it is too long or no plain data.
   */
  addEntry(entry: SessionEntry): void
  /** Scrolls to a message of `Session.messages()`, counted from 0, and selects it. False when it is not shown. */
  scrollTo(message: number): boolean
}

/**
 * The full screens that are open in this process. Provided by the plugin `tui`; absent in processes without one.
 * @since 0.2
 */
export interface TerminalUi {
  /** The full screen that shows this session; undefined when there is none: in a chat, on a pipe, in the gateway. */
  of(sessionId: string, caller?: ServiceCaller): TuiContext | undefined
}
export const TerminalUi: Service<TerminalUi> = defineService('tui-contexts', { callers: ['of'], free: true })

/**
 * A few words in the status bar, such as the branch or what runs in the background. Contributed to `StatusItems`.
 * @since 0.1
 */
export interface StatusItem extends Ordered {
  readonly name: string
  /**
   * Items that are left out while this one has a line: those of plugins by `name`, and those of the bar itself: `model`,
   * `tokens`, `context`, `elapsed`, `queue`, `cost`. The user leaves items out with `display.hidden_status`.
   */
  readonly replaces?: readonly string[]
  /** The line, a text as it is, or undefined to stay out. Cheap: asked for each picture. */
  line(conversation: Conversation): StyledLine | string | undefined
  /** Called once for each full screen with what draws it again; for a line that changes without a key or an event. */
  onChange?(changed: () => void): Dispose
}
/** @since 0.1 */
export const StatusItems: ExtensionPoint<StatusItem> = extensionPoint('status-items', (item) => item.name, undefined, {
  problem: checkMembers({ name: 'string', line: 'function', replaces: 'list?', onChange: 'function?' }),
})

/** Lines of a plugin around the conversation. Contributed to `Widgets`. @since 0.1 */
export interface Widget extends Ordered {
  readonly name: string
  /**
   * `header`: the first rows of the screen; `above` (default) and `below` the place where one types; `footer`: the last rows.
   * There are none on a screen of less than 12 rows.
   */
  readonly place?: 'header' | 'above' | 'below' | 'footer'
  /** At most `rows` lines of `width` cells; none to stay out. Cheap: asked for each picture. */
  lines(conversation: Conversation, room: { readonly width: number; readonly rows: number }): readonly StyledLine[]
  /** As in `StatusItem`. */
  onChange?(changed: () => void): Dispose
}
/** @since 0.1 */
export const Widgets: ExtensionPoint<Widget> = extensionPoint('widgets', (widget) => widget.name, undefined, {
  problem: (item) => checkWidget(item) ?? findPlaceProblem(item as Widget),
})

const checkWidget = checkMembers({ name: 'string', lines: 'function', place: 'string?', onChange: 'function?' })

function findPlaceProblem({ place = 'above' }: Widget): string | undefined {
  const isPlace = ['header', 'above', 'below', 'footer'].includes(place)
  return isPlace ? undefined : `has the place "${place}": it is header, above, below or footer`
}

/**
 * How calls of some tools are shown; it outweighs the `view` of the tool itself. Contributed to `ToolRenderers`.
 * @since 0.2
 */
export interface ToolRenderer extends ToolCallView, Ordered {
  readonly name: string
  /** Names of tools. */
  readonly tools: readonly string[]
}
/** @since 0.2 */
export const ToolRenderers: ExtensionPoint<ToolRenderer> = extensionPoint('tool-views', (view) => view.name)

/** A key that does something everywhere in the interface. Contributed to `KeyBindings`. @since 0.1 */
export interface KeyBinding extends Ordered {
  /**
   * As `TerminalInput` names it, `C-x`, or as people write it, `ctrl+x`. A character needs `ctrl` or `alt`. `enter`, `escape`,
   * `C-c`, `C-d`, `C-q` and `C-z` are refused; a key of the full screen itself may be taken, which is reported.
   */
  readonly key: string
  /** For help, in English. */
  readonly description: string
  /** The screen of `Overlays` that it shows, when that is what it does. */
  readonly screen?: string
  run(ui: TuiContext): void | Promise<void>
}
/** @since 0.1 */
export const KeyBindings: ExtensionPoint<KeyBinding> = extensionPoint(
  'key-bindings',
  (binding) => binding.key,
  keyAliases,
  { problem: keyProblem },
)

const bindingProblem = checkMembers({ key: 'string', description: 'string', run: 'function' })

function keyProblem(item: unknown): string | undefined {
  return bindingProblem(item) ?? findKeyProblem((item as KeyBinding).key) ?? findReservation((item as KeyBinding).key)
}

/** What sends, stops, leaves, answers or suspends must work whatever is installed. Escape and Ctrl-C also close views. */
const RESERVED_KEYS: readonly string[] = ['enter', 'escape', 'C-c', 'C-d', 'C-q', 'C-z']

function findReservation(key: string): string | undefined {
  const name = parseKeyName(key) ?? key
  return RESERVED_KEYS.includes(name)
    ? `has the key "${key}", which is reserved: ${RESERVED_KEYS.join(', ')} send, stop, leave or answer`
    : undefined
}

/** The name by which the interface looks it up, where the author wrote another one. */
function keyAliases({ key }: KeyBinding): readonly string[] {
  const name = parseKeyName(key)
  return name === undefined || name === key ? [] : [name]
}

/** A screen over the conversation: a picker, a tree, help. Contributed to `Overlays`. @since 0.2 */
export interface Overlay extends Ordered {
  readonly name: string
  /** For the palette, in English. */
  readonly title: string
  /** The slash command that opens it when it is typed without arguments, in place of what the command would say. */
  readonly command?: string
  open(ui: TuiContext): OverlayView
}

/** A screen while it is shown. @since 0.2 */
export interface OverlayView {
  /** Exactly `rows` lines or fewer, of `width` cells. */
  lines(room: { readonly width: number; readonly rows: number }): readonly StyledLine[]
  /** Takes what was typed; `close` ends it. Keys that it does not take (`ignored`) are those of the interface. */
  input(input: TerminalInput): 'taken' | 'ignored' | 'close'
  /** What the keys do, for the last row: `Enter open · Esc close`. */
  readonly keys: string
  /** Where the cursor blinks, within the lines that were drawn last. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined
  /** `input` also gets keys that are released, with `released`; only terminals with kitty's keyboard protocol report them. */
  readonly releases?: boolean
  /** Runs once when it is closed, whatever closed it. */
  close?(): void
}
/** Keys: the name, and `/<command>`, so that only one plugin has the screen of a command. @since 0.2 */
export const Overlays: ExtensionPoint<Overlay> = extensionPoint('screens', (screen) => screen.name, commandKeys, {
  problem: checkMembers({ name: 'string', open: 'function' }),
})

function commandKeys({ command }: Overlay): readonly string[] {
  return command === undefined ? [] : [`/${command}`]
}

/** Provided by the plugin `tui`. @since 0.2 */
export interface Tui {
  /** Why it cannot be opened on these streams; undefined when it can. */
  missing(io: CliContext): string | undefined
  /** Runs until the user leaves; the exit code. */
  run(
    io: CliContext,
    options: {
      readonly sessionId?: string
      readonly settings: ConversationSettings
      readonly yolo: boolean
      /** Sent as if it had been typed. */
      readonly first?: string
      /** As in `Conversations.start`. */
      readonly temporary?: boolean
    },
  ): Promise<number>
}
export const Tui: Service<Tui> = defineService('terminal-ui')

/** The visible entries of a conversation, and the window onto them. Nothing in it throws. @since 0.1 */
export interface Transcript {
  /** Other facts from its events. */
  readonly facts: {
    /** Milliseconds since 1970; undefined while no turn is under way. */
    readonly busySince?: number | undefined
    /** Who answers the turn under way. */
    readonly model?: { readonly provider: string; readonly model: string } | undefined
    /** Tokens of the conversation, as the last call of the model counted. */
    readonly contextTokens?: number | undefined
    readonly usage: Usage
    /** The tool that runs now. */
    readonly running?: string | undefined
  }
  /** Takes an event; `images` went with the message of a `turn.start`. */
  show(event: TurnEvent, images?: number): void
  say(said: ConversationNotice): void
  /** A slash command as it was typed. */
  typed(text: string): void
  /** As `TuiContext.addEntry`. */
  addEntry(session: Session, entry: SessionEntry): void
  /** Reloads from what is stored. */
  recall(session: Session, shown: DisplaySettings['resume_display']): void
  /** As the model wrote them, the oldest first. */
  answers(): readonly string[]
  /** Settings, skin or language are other ones. */
  restyle(): void
  /**
   * As many lines as there is room for, at most; `fresh` ones came below since the user scrolled `away`, at most 999.
   */
  view(room: { readonly width: number; readonly rows: number }): {
    readonly lines: readonly StyledLine[]
    readonly fresh: number
    readonly away?: boolean
  }
  /** Up with a negative count; at the end it follows again. */
  scroll(lines: number): void
  page(direction: -1 | 1): void
  top(): void
  follow(): void
  /**
   * Shows and selects a message of `Session.messages()`, counted from 0. False, and nothing moves, when it is not shown: it
   * was compressed away, or the conversation was not recalled in full.
   */
  scrollTo(session: Session, message: number): boolean
  /**
   * Shows and selects the next block that has the words, upwards with -1; it begins at the end, and goes round. With 0 the
   * block that is shown stays when it has them. How many blocks have the words, and which of them, from 1, is shown.
   */
  find(words: string, step: -1 | 0 | 1): { readonly count: number; readonly at: number }
  /** Folds or unfolds the newest call of a tool, what is selected, or what is on a row of the last view. */
  toggle(which: 'newest' | 'selected' | { readonly row: number }): void
  /** What can be folded or copied, one block up or down. */
  select(step: -1 | 1): void
  unselect(): void
  readonly selected: { readonly text: string; readonly foldable: boolean } | undefined
}

/** Opens them. @since 0.1 */
export interface Transcripts {
  /** For a surface, whose settings apply. `banner` is shown above everything. */
  open(options: { readonly surface: string; banner(width: number): readonly StyledLine[] }): Transcript
}
export const Transcripts: Service<Transcripts> = defineService('transcripts')
