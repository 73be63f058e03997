/** Lines of log files as entries, and which of them are wanted. */
import { LOG_LEVELS, type LogEntry, type LogFilter, type LogLevel } from 'svc/sdk/operations'

/** Makes entries of the lines of one file, in their order: a line without a time has that of the line before it. */
export function createParser(file: string): (line: string) => LogEntry {
  let last: number | undefined
  return (line) => {
    const entry = parseLine(file, line)
    if (entry.at === undefined) return last === undefined ? entry : { ...entry, at: last }
    last = entry.at
    return entry
  }
}

function parseLine(file: string, line: string): LogEntry {
  const data = readObject(line)
  if (typeof data?.['message'] !== 'string') return { file, message: line }
  const { time: written, level, plugin, message, ...fields } = data
  const at = typeof written === 'string' ? Date.parse(written) : Number.NaN
  return {
    file,
    ...(Number.isFinite(at) && { at }),
    ...(isLevel(level) && { level }),
    ...(typeof plugin === 'string' && { plugin }),
    message: message as string,
    ...(Object.keys(fields).length > 0 && { fields }),
  }
}

function readObject(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    // A line that a crash cut off.
    return undefined
  }
}

function isLevel(value: unknown): value is LogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value)
}

/** Whether an entry passes. */
export function createTest({ level, plugin, session, since, search }: LogFilter): (entry: LogEntry) => boolean {
  const least = level === undefined ? -1 : LOG_LEVELS.indexOf(level)
  const wanted = search?.toLowerCase()
  return (entry) => {
    if (least >= 0 && (entry.level === undefined || LOG_LEVELS.indexOf(entry.level) < least)) return false
    if (plugin !== undefined && entry.plugin !== plugin) return false
    if (since !== undefined && (entry.at === undefined || entry.at < since)) return false
    if (session !== undefined && !hasWord(entry, session)) return false
    return wanted === undefined || flatten(entry).toLowerCase().includes(wanted)
  }
}

/** Whether a word of the entry is the id, or begins with it. */
function hasWord(entry: LogEntry, id: string): boolean {
  return flatten(entry)
    .split(/[^\w-]+/)
    .some((word) => word.startsWith(id))
}

function flatten({ message, fields }: LogEntry): string {
  return fields === undefined ? message : `${message} ${JSON.stringify(fields)}`
}
