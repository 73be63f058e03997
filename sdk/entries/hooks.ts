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
export { ApprovalRequested } from '../approvals.ts'
export { BeforeCompaction, type CompactionAttempt } from '../compression.ts'
export { ConfigChanged } from '../config.ts'
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
export { PluginFailed, PluginsChanged } from '../plugins.ts'
export { type ProcessNotification, ProcessNotified } from '../processes.ts'
export {
  type BranchedSession,
  type CompactedSession,
  type RemovedSessionGroup,
  type RewoundSession,
  SessionBranched,
  SessionCompacted,
  SessionRewound,
  SessionsRemoved,
  SessionsRestored,
} from '../sessions.ts'
export {
  AfterToolBatch,
  type CommandStart,
  SelectCommandEnvironment,
  SelectToolDefinitions,
  type ToolBatch,
  type ToolBatchCall,
} from '../tools.ts'
