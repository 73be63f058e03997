/** For the operation of an installation: its log files. */
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
