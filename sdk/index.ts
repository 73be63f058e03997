/** The public SDK: what built-in and foreign plugins import, and all they may. */
export {
  Agent,
  MessageReceived,
  RequestBuilding,
  TurnEnded,
  type TurnEndReason,
  type TurnEvent,
  type TurnEventBody,
  type TurnInfo,
  type TurnRequest,
} from './agent.ts'
export {
  type ApprovalChoice,
  type ApprovalRequest,
  Approvals,
  type Approver,
  type CommandRisk,
  CommandRisks,
  type CommandSetting,
} from './approvals.ts'
export { type CliCommand, CliCommands, type CliInput, type CliIo, type CliOption } from './cli.ts'
export {
  CommandCalling,
  type CommandPlace,
  Commands,
  type ParsedCommand,
  type SlashCommand,
  SlashCommands,
  type Surface,
} from './commands.ts'
export {
  Config,
  type ConfigAuthor,
  type ConfigChange,
  ConfigChanged,
  type ConfigEdit,
  ConfigFile,
  type ConfigKey,
  type ConfigMigration,
  type ConfigProblem,
  formatPath,
  parsePath,
  valueAt,
} from './config.ts'
export { Control, type ControlAnswer } from './control.ts'
export { type ErrorCatalog, errorCode, errorMessage, SvcError } from './errors.ts'
export { Home } from './home.ts'
export type { CliEntry, EnvironmentVariable, Manifest } from './manifest.ts'
export type { Image, Message, ToolCall, Usage } from './messages.ts'
export { isLoopback, mayHaveKey } from './model-address.ts'
export {
  authSentence,
  cutFailure,
  type FailedAnswer,
  type FailedCall,
  failureKind,
  modelFailure,
  netFailure,
  readServiceError,
  retryAfterMs,
  type ServiceError,
  serviceFailure,
} from './model-failure.ts'
export { isEventStream, readAnswer, type StreamedAnswer } from './model-stream.ts'
export { type ModelChoice, Models } from './models.ts'
export {
  type Inbound,
  type Outbound,
  type Platform,
  type PlatformLimits,
  type PlatformLink,
  Platforms,
  type Receipt,
} from './platforms.ts'
export {
  type Contributions,
  type Disposer,
  definePlugin,
  type ListenOptions,
  type Logger,
  type Plugin,
  type PluginContext,
} from './plugin.ts'
export {
  PluginFailed,
  type PluginInfo,
  type PluginOrigin,
  type PluginProblem,
  type PluginStatus,
  Plugins,
  PluginsChanged,
} from './plugins.ts'
export { Clock, Net, type NetRequest, type NetResponse, Random } from './ports.ts'
export { type PromptPart, PromptParts } from './prompt.ts'
export {
  type ModelEvent,
  type ModelFailure,
  type ModelInfo,
  type ModelProvider,
  type ModelRequest,
  Providers,
  type ToolDefinition,
} from './providers.ts'
export { issuePath, type Schema, type SchemaIssue, type SchemaResult } from './schema.ts'
export { Secrets } from './secrets.ts'
export {
  type Session,
  type SessionArchive,
  type SessionFilter,
  type SessionHit,
  type SessionRecord,
  type SessionSearch,
  type SessionStats,
  type SessionSummary,
  Sessions,
} from './sessions.ts'
export { type EventReader, eventReader } from './sse.ts'
export { type Database, type DatabaseOptions, type SqlValue, type Statement, Storage } from './storage.ts'
export {
  type CallInfo,
  type DecideHook,
  decide,
  type Hook,
  type HookKind,
  type NotifyHook,
  notify,
  type Point,
  point,
  type Service,
  service,
  type TransformHook,
  transform,
  type WrapHook,
  wrap,
} from './token.ts'
export {
  defineTool,
  type Tool,
  ToolCalling,
  ToolCompleted,
  type ToolEffect,
  type ToolRequest,
  type ToolResult,
  ToolRunning,
  Tools,
  type ToolTurn,
  type ToolVerdict,
} from './tools.ts'
export { type TextMerge, type YamlChange, YamlEdit, type YamlFault, type YamlPlace, type YamlText } from './yaml.ts'
