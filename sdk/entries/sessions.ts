/** For stored sessions and the conversations of front ends: reading, archives, compaction, plans, trees, settings of a turn. */
export { SelectTaskDelivery, type TaskDelivery } from '../background-tasks.ts'
export { type Checkpoint, type CheckpointSummary, Checkpoints, type RestoreResult } from '../checkpoints.ts'
export {
  Compaction,
  type CompactionOptions,
  type CompactionRequest,
  type CompactionResult,
  isConversationSummary,
  type Summarizer,
  Summarizers,
} from '../compression.ts'
export { mergeSettings, SelectedSettings } from '../conversation-settings.ts'
export {
  type ConversationChange,
  type ConversationNotice,
  checkConversationChange,
  type DialogOptions,
  type FrontEndHandlers,
  StopRequested,
  type WhenBusy,
} from '../conversations.ts'
export { stripAttachments, totalUsage, toWellFormedMessage } from '../messages.ts'
export { ModelCalls, type ModelInvocation, type StartedInvocation } from '../model-calls.ts'
export {
  BeforeModelChange,
  checkModelChange,
  type ModelChangeRequest,
  type ModelSelectionContext,
  SelectModel,
} from '../model-selection.ts'
export { type ProjectNote, SelectProjectNotes } from '../prompt.ts'
export type { ServiceTier } from '../providers.ts'
export { canAsk, type FrontEndDialogs, showQuestion } from '../question-front.ts'
export { forgetWithSessions, type SessionBelongings } from '../removed-sessions.ts'
export { BeforePlanChange, type PlanChange, type PlanStatus, type PlanStep, SessionPlan } from '../session-plan.ts'
export type { ArchivedState } from '../session-state.ts'
export { type SessionLabel, type SessionTreeRow, SessionTrees } from '../session-tree.ts'
export type {
  BranchedSession,
  CompactedSession,
  InterruptedTurn,
  RemovedSessionGroup,
  RemovedSessions,
  RewoundSession,
  SessionAppend,
  SessionArchive,
  SessionFilter,
  SessionReader,
  SessionRewrite,
  SessionSearchOptions,
  SessionSearchResult,
  SessionStats,
  WorkingFolderChange,
} from '../sessions.ts'
export { type TraceStep, Traces } from '../traces.ts'
export { type TurnSettings, turnSettings } from '../turn-settings.ts'
