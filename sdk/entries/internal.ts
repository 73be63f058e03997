/** Between built-in plugins: contracts that only they fulfil. It is not exported by the package, and may change at any time. */
export { type ApiConversation, ApiConversations } from '../api.ts'
export { areResultFiles, fileKind } from '../attachments.ts'
export { BatchSize, RowPruner } from '../batches.ts'
export { callLabel, maskedInput } from '../call-label.ts'
export { type Checkpoint, Checkpoints, type Restoration } from '../checkpoints.ts'
export { type Claim, claimsOf } from '../claims.ts'
export { HardLine } from '../command-risks.ts'
export { byCategory } from '../commands.ts'
export { isFixed, withFixed } from '../config.ts'
export { CommandKnowledge, type CommandReading, type ReadingPlace } from '../confinement.ts'
export { type ConsentChange, type ConsentState, type ConsentSubject, Consents } from '../consents.ts'
export { Control, type ControlAnswer, type ControlMethod } from '../control.ts'
export { ChosenSettings, mergeSettings } from '../conversation-settings.ts'
export type { BusyMode } from '../conversations.ts'
export { Health } from '../health.ts'
export { Leash } from '../leash.ts'
export { pluginToEnable } from '../left-out.ts'
export {
  type FileAccess,
  findSecretLocation,
  findSvcLocation,
  holdsSvcHome,
  isEnvironmentFile,
  listSecretLocations,
  type SecretLocation,
  type SvcLocation,
} from '../locations.ts'
export { spokenText, wellFormed } from '../messages.ts'
export { type BegunInvocation, ModelCalls, type ModelInvocation } from '../model-calls.ts'
export { claudeFormats, claudeThinking, claudeThought } from '../model-claude.ts'
export { claudeSchema } from '../model-claude-schema.ts'
export { fittedId } from '../model-names.ts'
export { StartedProcesses } from '../processes.ts'
export { neverLoaded } from '../readers.ts'
export { type RehearsalStep, Rehearsals } from '../rehearsals.ts'
export { oncePerRound } from '../round.ts'
export { type EmbeddedPlugin, type Runtime, type RuntimeOptions, Runtimes } from '../runtime.ts'
export { issuePath } from '../schema.ts'
export { Seals } from '../seals.ts'
export { type PlanStatus, type PlanStep, SessionPlan } from '../session-plan.ts'
export { type SessionTreeRow, SessionTrees } from '../session-tree.ts'
export { type Composer, type ComposerHost, type ComposerRoom, Composers } from '../terminal-composer.ts'
export { type ScreenPicture, type TerminalScreen, TerminalScreens } from '../terminal-screen.ts'
export { TerminalUi, type Transcript, Transcripts } from '../terminal-ui.ts'
export { type HookKind, type MemberKind, members } from '../token.ts'
export { markUntrusted, untrustedOrigins, withoutUntrustedMark } from '../untrusted.ts'
export { type Decision, parseVerdict, strictest } from '../verdict.ts'
export { whileProvided } from '../while-provided.ts'
export { type TextMerge, type YamlChange, YamlEdit, type YamlFault, type YamlPlace, type YamlText } from '../yaml.ts'
