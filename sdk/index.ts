/** The public SDK: what built-in and foreign plugins import, and all they may. */
export {
  Agent,
  BeforeModelRequest,
  BeforeUserMessage,
  type ModelRequestContext,
  type TurnContext,
  TurnEnded,
  type TurnRequest,
  type TurnRun,
} from './agent.ts'
export { type ApprovalChoice, type ApprovalRequest, Approvals } from './approvals.ts'
export type { ResultFile } from './attachments.ts'
export { AuxiliaryModels } from './auxiliary.ts'
export {
  type CliArguments,
  type CliAskOptions,
  type CliCommand,
  CliCommands,
  type CliContext,
  type CliOption,
  confirmCommand,
} from './cli.ts'
export {
  BeforeSlashCommand,
  type CommandContext,
  type CommandSurface,
  type SlashCommand,
  SlashCommands,
} from './commands.ts'
export type { Completion } from './completions.ts'
export { Config } from './config.ts'
export {
  type ChoiceDialog,
  type Conversation,
  type ConversationSettings,
  Conversations,
  type QueuedMessage,
  type SendOptions,
} from './conversations.ts'
export {
  type DecideHook,
  decisionHook,
  defineService,
  type ExtensionPoint,
  type ExtensionPointOptions,
  extensionPoint,
  type Hook,
  type HookContext,
  type NotifyHook,
  notifyHook,
  type Ordered,
  type Service,
  type ServiceOptions,
  type TransformHook,
  transformHook,
  type WrapHook,
  wrapHook,
} from './declarations.ts'
export { type ErrorMessages, errorCode, errorMessage, SvcError } from './errors.ts'
export { logFault } from './faults.ts'
export { Home } from './home.ts'
export { createTranslator, type Translate } from './language.ts'
export type { ImageContent, Message, ToolCall, Usage } from './messages.ts'
export { tryParseJson } from './model-stream.ts'
export { Models } from './models.ts'
export type { Person, PersonOptions } from './person.ts'
export {
  type Dispose,
  definePlugin,
  type HookOptions,
  type Logger,
  type Plugin,
  type PluginContext,
  type Registration,
} from './plugin.ts'
export { Clock, Net, type NetRequest, type NetResponse, Random } from './ports.ts'
export { type PromptContext, type PromptPart, PromptParts } from './prompt.ts'
export { askToConfirm, type QuestionAnswer, Questions, type UnansweredReason, type UserQuestion } from './questions.ts'
export type { Schema, SchemaIssue, SchemaResult, Unchecked } from './schema.ts'
export { Secrets } from './secrets.ts'
export { defineSessionState, type SessionState } from './session-state.ts'
export { type Session, type SessionSummary, Sessions } from './sessions.ts'
export type { ToolScope } from './tool-scope.ts'
export type { ToolCallView } from './tool-view.ts'
export {
  AfterToolCall,
  AroundToolCall,
  BeforeToolCall,
  BeforeToolInput,
  type ChildTurnRequest,
  defineTool,
  SelectTools,
  type Tool,
  type ToolActions,
  type ToolAlias,
  type ToolCallDraft,
  type ToolCallEvent,
  type ToolContext,
  type ToolDecision,
  type ToolDeclaration,
  type ToolEffect,
  type ToolReach,
  type ToolResult,
  type ToolSelection,
  Tools,
  type ToolWithParameters,
} from './tools.ts'
export type { ToolRefusal, TurnEndReason, TurnEvent, TurnEventData, TurnOptions } from './turn-events.ts'
export { TurnOutcome } from './turn-outcome.ts'
export type { DecisionQuestion, Denial, HookDecision, HookDecisionResult } from './verdict.ts'
