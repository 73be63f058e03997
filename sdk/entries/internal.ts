/** Between built-in plugins: contracts that only they fulfil. It is not exported by the package, and may change at any time. */
export { type ApiConversation, ApiConversations } from '../api.ts'
export { classifyMediaType, isResultFileList } from '../attachments.ts'
export { BatchSize, RowPruner } from '../batches.ts'
export { maskToolInput, toolCallLabel } from '../call-label.ts'
export { type Checkpoint, Checkpoints, type RestoreResult } from '../checkpoints.ts'
export { type Claim, listClaims } from '../claims.ts'
export { HardLimits } from '../command-risks.ts'
export { groupByCategory } from '../commands.ts'
export { applyFixed, isFixedAt } from '../config.ts'
export { type CommandAnalysis, CommandKnowledge, type CommandLocation } from '../confinement.ts'
export { type ConsentChange, type ConsentState, type ConsentSubject, Consents } from '../consents.ts'
export { Control, type ControlAnswer, type ControlMethod } from '../control.ts'
export { mergeSettings, SelectedSettings } from '../conversation-settings.ts'
export type { WhenBusy } from '../conversations.ts'
export { Health } from '../health.ts'
export { AgentProcesses } from '../leash.ts'
export { findPluginToEnable } from '../left-out.ts'
export {
  containsSvcHome,
  type FileOperation,
  findSecretLocation,
  findSvcLocation,
  isEnvironmentFile,
  listSecretLocations,
  type SecretLocation,
  type SvcLocation,
} from '../locations.ts'
export { stripAttachments, toWellFormedMessage } from '../messages.ts'
export { ModelCalls, type ModelInvocation, type StartedInvocation } from '../model-calls.ts'
export { anthropicSupportsFormat, anthropicThinking, anthropicThinkingBlock } from '../model-claude.ts'
export { anthropicSchema } from '../model-claude-schema.ts'
export { shortenToolCallId } from '../model-names.ts'
export { StartedProcesses } from '../processes.ts'
export { reasonNeverLoaded } from '../readers.ts'
export { type DryRunStep, PlatformDryRuns } from '../rehearsals.ts'
export { memoizePerTick } from '../round.ts'
export { type InlinePlugin, type Runtime, type RuntimeOptions, Runtimes } from '../runtime.ts'
export { formatIssuePath } from '../schema.ts'
export { Seals } from '../seals.ts'
export { type PlanStatus, type PlanStep, SessionPlan } from '../session-plan.ts'
export { type SessionTreeRow, SessionTrees } from '../session-tree.ts'
export { type Composer, type ComposerHost, type ComposerSize, Composers } from '../terminal-composer.ts'
export { type Frame, type TerminalScreen, TerminalScreens } from '../terminal-screen.ts'
export { type Transcript, Transcripts, Tui } from '../terminal-ui.ts'
export { checkMembers, type HookKind, type MemberKind } from '../token.ts'
export { listUntrustedOrigins, markUntrusted } from '../untrusted.ts'
export { type DecisionKind, parseDecision, strictestDecision } from '../verdict.ts'
export { whileProvided } from '../while-provided.ts'
export {
  type MergeResult,
  type ParsedYaml,
  type YamlChange,
  YamlEditor,
  type YamlError,
  type YamlLocation,
} from '../yaml.ts'
