/** For the terminal: the full screen, themes and styled text, and the shell, files and sandbox that tools use. */
export type { ApprovalHandler } from '../approvals.ts'
export {
  type CommandEffects,
  type RiskHarm,
  type RiskPattern,
  ShellCommandAnalysis,
  type ShellCommandContext,
  type ShellCommandRisk,
  type ShellDialect,
} from '../command-risks.ts'
export { type Completer, Completers } from '../completions.ts'
export {
  ProcessSandbox,
  type SandboxedLaunch,
  type SandboxNeed,
  type SandboxNeedText,
  type SandboxPolicy,
} from '../confinement.ts'
export { Display, type DisplaySettings, type TextStyle, type Theme, type ThemeColor } from '../display.ts'
export { abbreviateHome, formatCount, formatDuration, formatTime, formatUsd } from '../figures.ts'
export {
  type FileBytes,
  type FileChange,
  type FileContent,
  type FileSnapshot,
  GuardedFiles,
  type ReadableFolder,
  ReadableFolders,
  type ResolvedPath,
} from '../files.ts'
export type { MessageValues } from '../language.ts'
export { AGENT_PROCESS_VARIABLE } from '../leash.ts'
export { Markdown, type MarkdownStream } from '../markdown.ts'
export {
  type BackgroundProcess,
  BackgroundProcesses,
  type BackgroundProcessOptions,
  type ProcessNotification,
  ProcessNotified,
} from '../processes.ts'
export type { QuestionHandler } from '../questions.ts'
export type { TextField } from '../terminal-composer.ts'
export type { TerminalInput } from '../terminal-screen.ts'
export {
  type KeyBinding,
  KeyBindings,
  type Overlay,
  Overlays,
  type OverlayView,
  type StatusItem,
  StatusItems,
  type ToolRenderer,
  ToolRenderers,
  type TuiContext,
  type Widget,
  Widgets,
} from '../terminal-ui.ts'
export {
  type ProgramSpec,
  type ShellBackend,
  type ShellBackendSettings,
  ShellBackends,
  type ShellContext,
  type ShellEnvironment,
  type SpawnSpec,
  shellQuote,
} from '../terminals.ts'
export { type StyledLine, type StyledSpan, TextLayout } from '../text-layout.ts'
export type { ToolCallDisplay } from '../tool-view.ts'
