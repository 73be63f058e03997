/** For the operation of an installation: its log files and backups. */
export { type BackupResult, type BackupRule, BackupRules, Backups, type PinnedFile } from '../backups.ts'
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
