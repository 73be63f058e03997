/** Hooks over the whole life of sessions, turns, models and the process; those of a first day are in `svc/sdk`. */
export {
  BeforeTurn,
  BeforeTurnEnd,
  BeforeUserInput,
  type ModelChange,
  ModelChanged,
  type ModelReference,
  SelectUserImages,
  type TurnEnding,
  type TurnEventStream,
  type TurnPurpose,
  TurnStarted,
  type UserInput,
  type UserInputContext,
  type UserInputSource,
} from '../agent.ts'
export { type AnsweredApproval, ApprovalAnswered, ApprovalRequested } from '../approvals.ts'
export {
  type BackgroundTask,
  BackgroundTaskEnded,
  BackgroundTaskStarted,
  type EndedBackgroundTask,
  type Subagent,
  SubagentEnded,
  SubagentStarted,
} from '../background-tasks.ts'
export { BeforeCompaction, type CompactionAttempt } from '../compression.ts'
export { BeforeConfigChange, ConfigChanged, type ConfigChangeRequest } from '../config.ts'
export {
  BeforeConversationChange,
  type ClosedConversation,
  type ConversationChangeRequest,
  ConversationClosed,
  ConversationOpened,
  type OpenedConversation,
} from '../conversations.ts'
export { BeforeInboundMessage, type InboundDraft, PlatformChanged } from '../gateway.ts'
export {
  AroundModelCall,
  BeforeModelCall,
  type FinishedModelCall,
  type ModelCallAttempt,
  type ModelCallContext,
  ModelCallFinished,
  type ModelEventStream,
} from '../model-calls.ts'
export { BeforeDelivery, type DeliveryContext, type DeliveryDraft, DeliveryFinished } from '../outbox.ts'
export { PluginFailed, PluginsChanged, type SvcProcess, SvcStarted, SvcStopping } from '../plugins.ts'
export { ProcessNotified } from '../processes.ts'
export { type AnsweredQuestion, QuestionAnswered, QuestionAsked } from '../questions.ts'
export {
  SessionBranched,
  SessionCompacted,
  SessionRewound,
  SessionsRemoved,
  SessionsRestored,
  WorkingFolderChanged,
} from '../sessions.ts'
export {
  AfterToolBatch,
  type CommandStart,
  SelectCommandEnvironment,
  SelectToolDefinitions,
  type ToolBatch,
  type ToolBatchCall,
} from '../tools.ts'
