/** For plugins that manage svc: configuration, plugins, conversations, stored sessions, budgets, toolsets, health. */
export { type BudgetLimits, type BudgetScope, Budgets, type Reservation, type UsageTotals } from '../budgets.ts'
export { type Cache, type CacheOptions, Caches } from '../caches.ts'
export { type CommandProvider, CommandProviders, Commands, type ParsedSlashCommand } from '../commands.ts'
export {
  Compaction,
  type CompactionOptions,
  type CompactionRequest,
  type CompactionResult,
  type Summarizer,
  Summarizers,
} from '../compression.ts'
export {
  type ChangeReason,
  type ConfigChange,
  ConfigChanged,
  type ConfigEdit,
  type ConfigEntry,
  ConfigFile,
  type ConfigLayer,
  type ConfigMigration,
  type ConfigProblem,
  formatConfigPath,
  getAtPath,
  parseConfigPath,
} from '../config.ts'
export {
  type ConversationChange,
  type ConversationNotice,
  ConversationOpened,
  type FrontEndHandlers,
  type OpenedConversation,
} from '../conversations.ts'
export { type HealthCheck, HealthChecks, type HealthFinding } from '../health.ts'
export { Language, type TranslationSource, TranslationSources } from '../language.ts'
export type { LeftOut } from '../left-out.ts'
export type { CliManifestEntry, EnvironmentVariable, Manifest } from '../manifest.ts'
export { totalUsage } from '../messages.ts'
export type { ContributionRegistry } from '../plugin.ts'
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
  InterruptedTurn,
  RemovedSessions,
  SessionAppend,
  SessionArchive,
  SessionReader,
  SessionRewrite,
  SessionStats,
} from '../sessions.ts'
export { type ToolStatus, type ToolsetStatus, Toolsets, type ToolToggle } from '../toolsets.ts'
export { type TraceStep, Traces } from '../traces.ts'
