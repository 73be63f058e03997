/** For plugins that manage svc: configuration, plugins, conversations, stored sessions, budgets, toolsets, health. */
export {
  type CommandMenuEntry,
  type CommandMenuLimits,
  type CommandProvider,
  CommandProviders,
  Commands,
  type ParsedSlashCommand,
} from '../commands.ts'
export {
  applyFixed,
  type ChangeReason,
  type ConfigChange,
  type ConfigEdit,
  type ConfigEntry,
  ConfigFile,
  type ConfigLayer,
  type ConfigMigration,
  type ConfigProblem,
  formatConfigPath,
  getAtPath,
  isFixedAt,
  parseConfigPath,
} from '../config.ts'
export { Control, type ControlAnswer, type ControlMethod } from '../control.ts'
export { checkMembers, type HookKind, type MemberKind, type Registered, type ServiceCaller } from '../declarations.ts'
export { Health, type HealthCheck, HealthChecks, type HealthFinding } from '../health.ts'
export { Language, type TranslationSource, TranslationSources } from '../language.ts'
export { findPluginToEnable, type LeftOut } from '../left-out.ts'
export {
  type CliManifestEntry,
  type EnvironmentVariable,
  listServices,
  listWanted,
  type Manifest,
  type ServiceNames,
} from '../manifest.ts'
export { People, type PersonSource, unreachablePerson } from '../person.ts'
export type { ContributionRegistry } from '../plugin.ts'
export {
  type GuardState,
  type PluginInfo,
  type PluginOrigin,
  type PluginProblem,
  type PluginStatus,
  Plugins,
} from '../plugins.ts'
export { reasonNeverLoaded } from '../readers.ts'
export { type InlinePlugin, type Runtime, type RuntimeOptions, Runtimes } from '../runtime.ts'
export { formatIssuePath } from '../schema.ts'
export type { RegisteredTool } from '../tools.ts'
export { type ToolStatus, type ToolsetStatus, Toolsets, type ToolToggle } from '../toolsets.ts'
export { whileProvided } from '../while-provided.ts'
export {
  type MergeResult,
  type ParsedYaml,
  type YamlChange,
  YamlEditor,
  type YamlError,
  type YamlLocation,
} from '../yaml.ts'
