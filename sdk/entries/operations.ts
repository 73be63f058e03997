/** For the operation of an installation: its log files, backups, repairs and removal. */
export {
  BACKUP_VARIABLES,
  type BackupDescription,
  type BackupResult,
  type BackupRule,
  BackupRules,
  Backups,
  type HomeExport,
  type HomeExportFacts,
  type HomeExportSource,
  type PinnedFile,
  type StoredBackup,
} from '../backups.ts'
export type { ConfigRepair } from '../config.ts'
export { type DebugBundle, DebugBundles } from '../debug-bundles.ts'
export { GatewayProcess, type GatewayProcessOptions, type GatewayProcessStatus } from '../gateway-process.ts'
export type { RepairContext } from '../health.ts'
export {
  LOG_LEVELS,
  type LogEntry,
  type LogFile,
  type LogFileState,
  LogFiles,
  type LogFilter,
  type LogLevel,
  Logs,
} from '../logs.ts'
export {
  Setup,
  type SetupAnswers,
  type SetupNote,
  type SetupOption,
  type SetupQuestion,
  type SetupScan,
  type SetupSection,
  SetupSections,
  type SetupValue,
} from '../setup.ts'
export { SNAPSHOT_LIMIT, type Snapshot, Snapshots } from '../snapshots.ts'
export { type StatusLine, StatusReport, type StatusSection, StatusSections } from '../status-report.ts'
export { type ToolsetBackend, type ToolsetChoice, ToolsetChoices } from '../toolsets.ts'
export { Uninstaller, type UninstallItem, type UninstallStep, UninstallSteps } from '../uninstall.ts'
export { type UpdateCheck, Updates } from '../updates.ts'
