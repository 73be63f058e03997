/** The public SDK: what built-in and foreign plugins import, and all they may. */
export {
  Access,
  type AccessAction,
  type AccessRole,
  type AccessVerdict,
  type Pairing,
  type PairingRequest,
} from './access.ts'
export {
  Agent,
  ImagesReceived,
  MessageReceived,
  type ModelRetry,
  RequestBuilding,
  type RequestInfo,
  type ToolRefusal,
  TurnEnded,
  type TurnEndReason,
  type TurnEvent,
  type TurnEventBody,
  type TurnInfo,
  type TurnOptions,
  type TurnRequest,
} from './agent.ts'
export {
  ApiAgent,
  ApiConversations,
  type ApiItem,
  type ApiRequest,
  type ApiRoute,
  ApiRoutes,
  defineApiRoute,
} from './api.ts'
export {
  type ApprovalChoice,
  type ApprovalRequest,
  Approvals,
  type Approver,
} from './approvals.ts'
export { areResultFiles, fileKind, type ResultFile } from './attachments.ts'
export { type AuxiliaryAnswer, AuxiliaryModels, type AuxiliaryRequest, type AuxiliarySlot } from './auxiliary.ts'
export { BatchSize, RowPruner } from './batches.ts'
export {
  Browser,
  type BrowserDialog,
  type BrowserMessage,
  type BrowserNotes,
  type BrowserSession,
  type BrowserTab,
  type BrowserTarget,
} from './browser.ts'
export { type BudgetCaps, Budgets, type Reservation, type Spender, type Spending } from './budgets.ts'
export { type Cache, type CacheOptions, Caches } from './caches.ts'
export { callLabel, maskedInput } from './call-label.ts'
export { type Checkpoint, Checkpoints, type Restoration } from './checkpoints.ts'
export { type Claim, claimsOf } from './claims.ts'
export {
  type AskOptions,
  type CliCommand,
  CliCommands,
  type CliInput,
  type CliIo,
  type CliOption,
  confirm,
} from './cli.ts'
export {
  type CommandActs,
  type CommandDanger,
  type CommandRisk,
  CommandRisks,
  type CommandSetting,
  HardLine,
  type RiskHarm,
  type ShellKind,
} from './command-risks.ts'
export {
  byCategory,
  CommandCalling,
  type CommandPlace,
  type CommandSource,
  CommandSources,
  Commands,
  type MenuEntry,
  type MenuLimits,
  type ParsedCommand,
  type SlashCommand,
  SlashCommands,
  type Surface,
} from './commands.ts'
export { commonMark, withBareAddresses } from './common-mark.ts'
export { type Completer, Completers, type Completion } from './completions.ts'
export {
  Compression,
  type CompressionOptions,
  type CompressionReport,
  type CompressionRequest,
  type ContextEngine,
  ContextEngines,
  isConversationSummary,
} from './compression.ts'
export {
  Config,
  type ConfigAuthor,
  type ConfigChange,
  ConfigChanged,
  type ConfigEdit,
  ConfigFile,
  type ConfigKey,
  type ConfigLayer,
  type ConfigMigration,
  type ConfigProblem,
  formatPath,
  isFixed,
  parsePath,
  valueAt,
  withFixed,
} from './config.ts'
export {
  CommandKnowledge,
  type CommandReading,
  type ConfinedLaunch,
  type ConfinedPlace,
  Confinement,
  type Need,
  type NeedReading,
  type ReadingPlace,
} from './confinement.ts'
export { type ConsentChange, type ConsentState, type ConsentSubject, Consents } from './consents.ts'
export { Control, type ControlAnswer, type ControlMethod } from './control.ts'
export { ChosenSettings, mergeSettings } from './conversation-settings.ts'
export {
  type BusyMode,
  type Conversation,
  type ConversationChange,
  ConversationOpened,
  type ConversationSettings,
  Conversations,
  type FrontEnd,
  type Menu,
  type MessageOptions,
  type OpenedConversation,
  type QueuedMessage,
  type Said,
} from './conversations.ts'
export {
  type AuthFlow,
  AuthFlows,
  type Credential,
  Credentials,
  type NewCredential,
  type PooledCredential,
  type SignedIn,
} from './credentials.ts'
export {
  beforehand,
  busy,
  collectFile,
  type DeliveryFailure,
  deliveryFailure,
  type FailedAnswer,
  fileTooLarge,
  httpFailure,
  netFailure,
  patiently,
  refused,
  threadGone,
  unsure,
} from './delivery.ts'
export { Display, type DisplaySettings, type Paint, type Skin, type TextRole } from './display.ts'
export { type ErrorCatalog, errorCode, errorMessage, SvcError } from './errors.ts'
export { logFault } from './faults.ts'
export { clockTime, dollars, duration, homePath, shortCount } from './figures.ts'
export {
  type CheckedPath,
  type EditableFile,
  type FileBytes,
  type FileChange,
  FileGuard,
  type PlannedFile,
  type ReadableFolder,
  ReadableFolders,
} from './files.ts'
export {
  Gateway,
  type GatewayStatus,
  type OutboxCounts,
  PlatformChanged,
  type PlatformState,
  type PlatformStatus,
} from './gateway.ts'
export { type HandOver, handOver } from './hand-over.ts'
export { Health, type HealthCheck, HealthChecks, type HealthFinding } from './health.ts'
export { Home } from './home.ts'
export {
  Http,
  type HttpApp,
  type HttpLock,
  type HttpReply,
  type HttpRequest,
  type HttpRoute,
  type HttpSocket,
  type HttpSocketRoute,
  jsonReply,
  type ListeningApp,
  type MountedApp,
} from './http.ts'
export { eventReply, serverEvent } from './http-events.ts'
export { type JsonLimits, type ReadJson, readJson } from './json-body.ts'
export {
  Language,
  type TextValues,
  type Translate,
  type Translation,
  Translations,
  translator,
} from './language.ts'
export { AGENT_MARK, Leash } from './leash.ts'
export { type LeftOut, pluginToEnable } from './left-out.ts'
export {
  type FileAccess,
  findSecretLocation,
  findSvcLocation,
  holdsSvcHome,
  isEnvironmentFile,
  listSecretLocations,
  type SecretLocation,
  type SvcLocation,
} from './locations.ts'
export type { CliEntry, EnvironmentVariable, Manifest } from './manifest.ts'
export { Markdown, type MarkdownStream } from './markdown.ts'
export { type Marks, type Markup, MessageText, type PieceLimits } from './markup.ts'
export {
  type FormFile,
  type HeardSpeech,
  type ImageBackend,
  ImageBackends,
  type ImageOrder,
  type MadeImage,
  type MediaAccount,
  type MediaFile,
  MediaFiles,
  type MediaRequest,
  multipartForm,
  type PaidCall,
  type Picture,
  type SpeechBackend,
  SpeechBackends,
  type SpeechEar,
  type SpeechFormat,
  type SpeechVoice,
  spend,
  Transcription,
} from './media.ts'
export {
  addUsage,
  type Carry,
  type Image,
  type Message,
  spokenText,
  type ToolCall,
  type Usage,
  wellFormed,
} from './messages.ts'
export { isLoopback, isLoopbackHost, mayHaveKey } from './model-address.ts'
export { callModel, type ModelCall } from './model-call.ts'
export {
  type BegunInvocation,
  type ModelCallInfo,
  ModelCalling,
  ModelCalls,
  type ModelInvocation,
} from './model-calls.ts'
export { type AnswerPiece, answerParts, carryAnswer } from './model-carry.ts'
export { claudeFormats, claudeThinking, claudeThought } from './model-claude.ts'
export { claudeSchema } from './model-claude-schema.ts'
export type { ErrorRule } from './model-error-rules.ts'
export { modelFailure, retryDelay } from './model-failure.ts'
export { modelKeyStatus, takeModelKey } from './model-key.ts'
export { fittedId } from './model-names.ts'
export { easierRequest, objectInput, type PictureLimits, resultText, unseenPicture } from './model-request.ts'
export { objectSchema } from './model-schema.ts'
export { type ModelServer, ModelServers } from './model-servers.ts'
export {
  fetchModelList,
  type ModelService,
  type ModelVendor,
  modelServiceStatus,
  resolveModelService,
} from './model-service.ts'
export { AnswerParts, type CallParts, parseJson, type StreamedAnswer } from './model-stream.ts'
export { retryAfterMs } from './model-wait.ts'
export { type ModelChoice, Models } from './models.ts'
export {
  type Delivery,
  DeliverySettled,
  type DeliveryState,
  type Destination,
  type LetterFile,
  Outbox,
  type OutboxMessage,
  type OutboxPost,
} from './outbox.ts'
export {
  type PlatformSettings,
  platformConfig,
  platformDefaults,
  type SessionReset,
} from './platform-settings.ts'
export {
  type AccessVariables,
  type Button,
  type ChatKind,
  type Inbound,
  type InboundFile,
  type Notice,
  type Outbound,
  type OutboundEdit,
  type OutboundFile,
  type Overheard,
  type Platform,
  type PlatformLimits,
  type PlatformLink,
  Platforms,
  type Rate,
  type Reaction,
  type ReactionState,
  type ReadCursor,
  type Receipt,
  type Reception,
  type Sender,
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
  type GuardState,
  PluginFailed,
  type PluginInfo,
  type PluginOrigin,
  type PluginProblem,
  type PluginStatus,
  Plugins,
  PluginsChanged,
} from './plugins.ts'
export { Clock, Net, type NetRequest, type NetResponse, Random } from './ports.ts'
export {
  Processes,
  type ProcessNotice,
  ProcessNoticed,
  type ProcessRequest,
  type ProcessState,
  StartedProcesses,
} from './processes.ts'
export { type PromptOccasion, type PromptPart, PromptParts } from './prompt.ts'
export {
  type AnswerFormat,
  type AnswerFormatSupport,
  type ModelEvent,
  type ModelFailure,
  type ModelInfo,
  type ModelPrice,
  type ModelProvider,
  type ModelRequest,
  type ProviderAuth,
  Providers,
  type ReasoningLevel,
  type ToolDefinition,
} from './providers.ts'
export {
  askToConfirm,
  type Question,
  type QuestionAnswer,
  Questions,
  type Respondent,
  type Unanswered,
} from './questions.ts'
export { neverLoaded } from './readers.ts'
export { type RehearsalStep, Rehearsals } from './rehearsals.ts'
export { oncePerRound } from './round.ts'
export { type EmbeddedPlugin, type Runtime, type RuntimeOptions, Runtimes } from './runtime.ts'
export { issuePath, type Schema, type SchemaIssue, type SchemaResult } from './schema.ts'
export { Seals } from './seals.ts'
export { Secrets, weakSecret } from './secrets.ts'
export { type PlanStatus, type PlanStep, SessionPlan } from './session-plan.ts'
export { type ArchivedState, type SessionState, sessionState } from './session-state.ts'
export { type SessionLabel, type SessionTreeRow, SessionTrees } from './session-tree.ts'
export {
  type RemovedSessions,
  type Session,
  type SessionArchive,
  type SessionEdit,
  type SessionFilter,
  type SessionHit,
  type SessionReader,
  type SessionRecord,
  type SessionSearch,
  type SessionStats,
  type SessionSummary,
  Sessions,
  type UnfinishedTurn,
} from './sessions.ts'
export type { EventReader } from './sse.ts'
export { type Database, type DatabaseOptions, LazyDatabase, type SqlValue, type Statement, Storage } from './storage.ts'
export {
  type Composer,
  type ComposerHost,
  type ComposerRoom,
  Composers,
  type TextField,
} from './terminal-composer.ts'
export { type ScreenPicture, type TerminalInput, type TerminalScreen, TerminalScreens } from './terminal-screen.ts'
export {
  type KeyBinding,
  KeyBindings,
  type Screen,
  Screens,
  type ScreenView,
  type StatusItem,
  StatusItems,
  TerminalUi,
  type TerminalUiHandle,
  type ToolView,
  ToolViews,
  type Transcript,
  Transcripts,
  type Widget,
  Widgets,
} from './terminal-ui.ts'
export {
  shellQuote,
  type Terminal,
  type TerminalBackend,
  type TerminalLaunch,
  type TerminalPlace,
  type TerminalProgram,
  type TerminalSettings,
  Terminals,
} from './terminals.ts'
export { type Line, type Span, TextLayout } from './text-layout.ts'
export {
  type CallInfo,
  type DecideHook,
  decide,
  type Hook,
  type HookKind,
  type MemberKind,
  members,
  type NotifyHook,
  notify,
  type Point,
  type PointOptions,
  point,
  type Service,
  type ServiceCaller,
  type ServiceOptions,
  service,
  type TransformHook,
  transform,
  type WrapHook,
  wrap,
} from './token.ts'
export type { ToolScope } from './tool-scope.ts'
export type { CallView, ShownCall } from './tool-view.ts'
export {
  defineTool,
  type Tool,
  type ToolActs,
  ToolCalling,
  ToolCompleted,
  type ToolDraft,
  type ToolEffect,
  type ToolFacts,
  type ToolOffer,
  ToolPreparing,
  type ToolReach,
  type ToolRequest,
  type ToolResult,
  ToolRunning,
  Tools,
  ToolsOffering,
  type ToolTurn,
  type ToolVerdict,
} from './tools.ts'
export { type ToolState, type ToolSwitch, type ToolsetState, Toolsets } from './toolsets.ts'
export { type TraceStage, Traces } from './traces.ts'
export { TurnOutcome } from './turn-outcome.ts'
export { markUntrusted, untrustedOrigins, withoutUntrustedMark } from './untrusted.ts'
export {
  type Decision,
  type Denial,
  type GivenVerdict,
  parseVerdict,
  strictest,
  type Verdict,
  type VerdictQuestion,
} from './verdict.ts'
export {
  askWeb,
  askWebBytes,
  askWebText,
  UrlGuard,
  type WebBackend,
  WebBackends,
  type WebHit,
  type WebPage,
  type WebService,
  webService,
} from './web.ts'
export { webError, webFetch } from './web-fetch.ts'
export { whileProvided } from './while-provided.ts'
export { type TextMerge, type YamlChange, YamlEdit, type YamlFault, type YamlPlace, type YamlText } from './yaml.ts'
