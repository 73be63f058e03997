/** For plugins that manage svc: configuration, plugins, conversations, stored sessions, budgets, toolsets, health. */
export { type BudgetCaps, Budgets, type Reservation, type Spender, type Spending } from '../budgets.ts'
export { type Cache, type CacheOptions, Caches } from '../caches.ts'
export { type CommandSource, CommandSources, Commands, type ParsedCommand } from '../commands.ts'
export {
  Compression,
  type CompressionOptions,
  type CompressionReport,
  type CompressionRequest,
  type ContextEngine,
  ContextEngines,
} from '../compression.ts'
export {
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
  parsePath,
  valueAt,
} from '../config.ts'
export {
  type ConversationChange,
  ConversationOpened,
  type FrontEnd,
  type OpenedConversation,
  type Said,
} from '../conversations.ts'
export { type HealthCheck, HealthChecks, type HealthFinding } from '../health.ts'
export { Language, type Translation, Translations } from '../language.ts'
export type { LeftOut } from '../left-out.ts'
export type { CliEntry, EnvironmentVariable, Manifest } from '../manifest.ts'
export { addUsage } from '../messages.ts'
export type { Contributions } from '../plugin.ts'
export {
  type GuardState,
  PluginFailed,
  type PluginInfo,
  type PluginOrigin,
  type PluginProblem,
  type PluginStatus,
  Plugins,
  PluginsChanged,
} from '../plugins.ts'
export type { ArchivedState } from '../session-state.ts'
export type { SessionLabel } from '../session-tree.ts'
export type {
  RemovedSessions,
  SessionArchive,
  SessionEdit,
  SessionReader,
  SessionRecord,
  SessionStats,
  UnfinishedTurn,
} from '../sessions.ts'
export { type ToolState, type ToolSwitch, type ToolsetState, Toolsets } from '../toolsets.ts'
export { type TraceStage, Traces } from '../traces.ts'
