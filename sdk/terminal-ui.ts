/** The full-screen interface on a terminal (plugin `tui`), and what other plugins add to it. */
import type { TurnEvent } from './agent.ts'
import type { CliContext } from './cli.ts'
import type { ChoiceDialog, Conversation, ConversationNotice, ConversationSettings } from './conversations.ts'
import type { DisplaySettings } from './display.ts'
import type { Usage } from './messages.ts'
import type { Session } from './sessions.ts'
import type { TerminalInput } from './terminal-screen.ts'
import type { StyledLine } from './text-layout.ts'
import { checkMembers, defineService, type ExtensionPoint, extensionPoint, type Service } from './token.ts'
import type { ToolCallView } from './tool-view.ts'

/** What a widget, a key or a screen can do to the interface that shows it. */
export interface TuiContext {
  readonly conversation: Conversation
  /** Draws again soon. */
  redraw(): void
  /** Shows a screen of `Overlays` over everything. */
  show(screen: string): void
  /** A short text that disappears after a while. */
  toast(text: string, tone?: 'info' | 'warning' | 'error'): void
  /** Asks with a list that can be filtered by typing. */
  choose(menu: ChoiceDialog): Promise<string | undefined>
  /** Puts text where the user types. */
  insert(text: string): void
}

/** A few words in the status bar, such as the branch or what runs in the background. Contributed to `StatusItems`. */
export interface StatusItem {
  readonly name: string
  /** Lower values are further left and are dropped last when there is little room (default 50). */
  readonly order?: number
  /** The line, or undefined to stay out. Cheap: asked for each picture. */
  line(conversation: Conversation): StyledLine | undefined
}
export const StatusItems: ExtensionPoint<StatusItem> = extensionPoint('status-items', (item) => item.name, undefined, {
  problem: checkMembers({ name: 'string', line: 'function' }),
})

/** A panel above the place where one types. Contributed to `Widgets`. */
export interface Widget {
  readonly name: string
  /** At most `rows` lines of `width` cells; none to stay out. Cheap: asked for each picture. */
  lines(conversation: Conversation, room: { readonly width: number; readonly rows: number }): readonly StyledLine[]
}
export const Widgets: ExtensionPoint<Widget> = extensionPoint('widgets', (widget) => widget.name, undefined, {
  problem: checkMembers({ name: 'string', lines: 'function' }),
})

/** How calls of some tools are shown; it outweighs the `view` of the tool itself. Contributed to `ToolRenderers`. */
export interface ToolRenderer extends ToolCallView {
  readonly name: string
  /** Names of tools. */
  readonly tools: readonly string[]
}
export const ToolRenderers: ExtensionPoint<ToolRenderer> = extensionPoint('tool-views', (view) => view.name)

/** A key that does something everywhere in the interface. Contributed to `KeyBindings`. */
export interface KeyBinding {
  /** As `TerminalInput` names it: `C-x`. */
  readonly key: string
  /** For help, in English. */
  readonly description: string
  /** The screen of `Overlays` that it shows, when that is what it does. */
  readonly screen?: string
  run(ui: TuiContext): void | Promise<void>
}
export const KeyBindings: ExtensionPoint<KeyBinding> = extensionPoint('key-bindings', (binding) => binding.key)

/** A screen over the conversation: a picker, a tree, help. Contributed to `Overlays`. */
export interface Overlay {
  readonly name: string
  /** For the palette, in English. */
  readonly title: string
  /** The slash command that opens it when it is typed without arguments, in place of what the command would say. */
  readonly command?: string
  open(ui: TuiContext): OverlayView
}

/** A screen while it is shown. */
export interface OverlayView {
  /** Exactly `rows` lines or fewer, of `width` cells. */
  lines(room: { readonly width: number; readonly rows: number }): readonly StyledLine[]
  /** Takes what was typed; `close` ends it. Keys that it does not take (`ignored`) are those of the interface. */
  input(input: TerminalInput): 'taken' | 'ignored' | 'close'
  /** What the keys do, for the last row: `Enter open · Esc close`. */
  readonly keys: string
  close?(): void
}
/** Keys: the name, and `/<command>`, so that only one plugin has the screen of a command. */
export const Overlays: ExtensionPoint<Overlay> = extensionPoint('screens', (screen) => screen.name, commandKeys, {
  problem: checkMembers({ name: 'string', open: 'function' }),
})

function commandKeys({ command }: Overlay): readonly string[] {
  return command === undefined ? [] : [`/${command}`]
}

/** Provided by the plugin `tui`. */
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

/** What is shown of a conversation, and the window onto it. Nothing in it throws. */
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
  /** Folds or unfolds the newest call of a tool, what is selected, or what is on a row of the last view. */
  /**
   * Shows and selects the next block that has the words, upwards with -1; it begins at the end, and goes round. With 0 the
   * block that is shown stays when it has them. How many blocks have the words, and which of them, from 1, is shown.
   */
  find(words: string, step: -1 | 0 | 1): { readonly count: number; readonly at: number }
  toggle(which: 'newest' | 'selected' | { readonly row: number }): void
  /** What can be folded or copied, one block up or down. */
  select(step: -1 | 1): void
  unselect(): void
  readonly selected: { readonly text: string; readonly foldable: boolean } | undefined
}

/** Opens them. */
export interface Transcripts {
  /** For a surface, whose settings apply. `banner` is shown above everything. */
  open(options: { readonly surface: string; banner(width: number): readonly StyledLine[] }): Transcript
}
export const Transcripts: Service<Transcripts> = defineService('transcripts')
