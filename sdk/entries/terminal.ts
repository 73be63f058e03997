/** For the terminal: the full screen, themes and styled text, and the shell, files and sandbox that tools use. */
export type { Approver } from '../approvals.ts'
export {
  type CommandActs,
  type CommandDanger,
  type CommandRisk,
  CommandRisks,
  type CommandSetting,
  type RiskHarm,
  type ShellKind,
} from '../command-risks.ts'
export { type Completer, Completers } from '../completions.ts'
export { type ConfinedLaunch, type ConfinedPlace, Confinement, type Need, type NeedReading } from '../confinement.ts'
export { Display, type DisplaySettings, type Paint, type Skin, type TextRole } from '../display.ts'
export { clockTime, dollars, duration, homePath, shortCount } from '../figures.ts'
export {
  type CheckedPath,
  type EditableFile,
  type FileBytes,
  type FileChange,
  FileGuard,
  type PlannedFile,
  type ReadableFolder,
  ReadableFolders,
} from '../files.ts'
export type { TextValues } from '../language.ts'
export { AGENT_MARK } from '../leash.ts'
export { Markdown, type MarkdownStream } from '../markdown.ts'
export { Processes, type ProcessNotice, ProcessNoticed, type ProcessRequest, type ProcessState } from '../processes.ts'
export type { Respondent } from '../questions.ts'
export type { TextField } from '../terminal-composer.ts'
export type { TerminalInput } from '../terminal-screen.ts'
export {
  type KeyBinding,
  KeyBindings,
  type Screen,
  Screens,
  type ScreenView,
  type StatusItem,
  StatusItems,
  type TerminalUiHandle,
  type ToolView,
  ToolViews,
  type Widget,
  Widgets,
} from '../terminal-ui.ts'
export {
  shellQuote,
  type Terminal,
  type TerminalBackend,
  type TerminalLaunch,
  type TerminalPlace,
  type TerminalProgram,
  type TerminalSettings,
  Terminals,
} from '../terminals.ts'
export { type Line, type Span, TextLayout } from '../text-layout.ts'
export type { ShownCall } from '../tool-view.ts'
