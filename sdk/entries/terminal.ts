/** For the terminal: the full screen, themes and styled text, and the shell, files and sandbox that tools use. */
export { type Mask, maskToolInput, toolCallLabel } from '../call-label.ts'
export { groupByCategory } from '../commands.ts'
export { type Completer, Completers } from '../completions.ts'
export {
  Display,
  type DisplaySettings,
  type TextStyle,
  type Theme,
  type ThemeColor,
  type ThemeDefinition,
  Themes,
} from '../display.ts'
export { abbreviateHome, formatCount, formatDuration, formatTime, formatUsd } from '../figures.ts'
export { parseKeyName } from '../key-names.ts'
export type { MessageValues } from '../language.ts'
export { Markdown, type MarkdownStream } from '../markdown.ts'
export {
  type Composer,
  type ComposerHost,
  type ComposerMark,
  type ComposerMarker,
  ComposerMarks,
  type ComposerSize,
  Composers,
  type TextField,
} from '../terminal-composer.ts'
export { type Frame, type TerminalInput, type TerminalScreen, TerminalScreens } from '../terminal-screen.ts'
export {
  type EntryRenderer,
  EntryRenderers,
  type MessageRenderer,
  MessageRenderers,
  type RenderRoom,
  type SessionEntry,
  type ShownMessage,
} from '../terminal-transcript.ts'
export {
  type KeyBinding,
  KeyBindings,
  type Overlay,
  Overlays,
  type OverlayView,
  type StatusItem,
  StatusItems,
  TerminalUi,
  type ToolRenderer,
  ToolRenderers,
  type Transcript,
  Transcripts,
  Tui,
  type TuiContext,
  type ViewPlace,
  type ViewSize,
  type Widget,
  Widgets,
} from '../terminal-ui.ts'
export { type StyledLine, type StyledSpan, TextLayout } from '../text-layout.ts'
export type { ToolCallDisplay } from '../tool-view.ts'
