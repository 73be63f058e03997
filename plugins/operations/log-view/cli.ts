/** `svc logs`. */
import { type CliArguments, type CliCommand, type CliContext, type Clock, SvcError } from 'svc/sdk'
import {
  formatColumns,
  formatMegabytes,
  formatMoment,
  hasFlag,
  paint,
  printJson,
  safeJson,
  safeLine,
  type TextStyle,
} from 'svc/sdk/kit/terminal'
import { LOG_LEVELS, type LogEntry, type LogFilter, type LogLevel, type Logs } from 'svc/sdk/operations'

interface CommandDeps {
  readonly logs: () => Logs
  readonly clock: () => Clock
}

const LINES = 50
const STYLES: Readonly<Record<LogLevel, TextStyle | undefined>> = {
  debug: 'dim',
  info: undefined,
  warn: 'yellow',
  error: 'red',
}
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function createLogsCommand(deps: CommandDeps): CliCommand {
  return {
    name: 'logs',
    description: 'Show the newest entries of a log file (default: that of svc itself). Filters may be combined.',
    arguments: '[file]',
    options: [
      { flags: '-n, --lines <count>', description: `How many entries (default: ${LINES})` },
      { flags: '-f, --follow', description: 'Continue with entries as they are written, until Ctrl-C' },
      { flags: '--level <level>', description: `The least level: ${LOG_LEVELS.join(', ')}` },
      { flags: '--component <plugin>', description: 'Only entries of this plugin' },
      { flags: '--session <id>', description: 'Only entries that name this session' },
      { flags: '--since <time>', description: 'Only newer entries: 30s, 5m, 1h, 2d, or a date' },
      { flags: '--search <text>', description: 'Only entries with this text' },
      { flags: '--list', description: 'List the log files' },
      { flags: '--json', description: 'One JSON object per line' },
    ],
    examples: ['logs -f', 'logs --level warn --since 1h', 'logs gateway -n 200', 'logs --component cron --json'],
    run: (input, io) => runLogs(input, io, deps),
  }
}

async function runLogs(input: CliArguments, io: CliContext, { logs, clock }: CommandDeps): Promise<number> {
  const isJson = hasFlag(input, 'json')
  if (hasFlag(input, 'list')) return listFiles(logs(), io, isJson)
  const filter = readFilter(input, clock().now())
  const show = (entry: LogEntry) => `${isJson ? safeJson(entry) : formatEntry(entry, io)}\n`
  // Followed before the newest are read, so that none in between is missed; an entry that both have is shown once.
  const following = hasFlag(input, 'follow') ? logs().follow(filter, io.signal)[Symbol.asyncIterator]() : undefined
  const first = following?.next()
  const entries = await logs().read(filter, readCount(input.options['lines']))
  for (const entry of entries) {
    io.out(show(entry))
    await io.drained()
  }
  if (!following) {
    if (entries.length === 0) io.err(`${nothingFound(filter)}\n`)
    return 0
  }
  const shown = entries.slice(-100).map((entry) => JSON.stringify(entry))
  for (let next = await first; next && !next.done; next = await following.next()) {
    const at = shown.indexOf(JSON.stringify(next.value))
    if (at >= 0) {
      shown.splice(at, 1)
      continue
    }
    io.out(show(next.value))
    await io.drained()
  }
  return 0
}

function nothingFound({ level, plugin, session, since, search }: LogFilter): string {
  const isFiltered = [level, plugin, session, since, search].some((each) => each !== undefined)
  return isFiltered ? 'No entry passes these filters.' : 'The log is empty.'
}

function readFilter({ args, options }: CliArguments, now: number): LogFilter {
  const text = (name: string) => options[name] as string | undefined
  const { level, since, component, session, search } = {
    level: text('level'),
    since: text('since'),
    component: text('component'),
    session: text('session'),
    search: text('search'),
  }
  return {
    ...(args[0] !== undefined && { file: args[0] }),
    ...(level !== undefined && { level: readLevel(level) }),
    ...(component !== undefined && { plugin: component }),
    ...(session !== undefined && { session }),
    ...(since !== undefined && { since: readSince(since, now) }),
    ...(search !== undefined && { search }),
  }
}

function readLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text.toLowerCase())
  if (level === undefined) throw wrongOption('level', text, LOG_LEVELS.join(', '))
  return level
}

function readSince(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d+) *([smhd])$/.exec(text.trim()) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0)
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw wrongOption('since', text, '30s, 5m, 1h, 2d, or a date such as 2026-11-24')
  return at
}

function readCount(value: CliArguments['options'][string]): number {
  if (value === undefined) return LINES
  const count = Number(value)
  if (!Number.isSafeInteger(count) || count < 0) throw wrongOption('lines', String(value), 'a number of entries')
  return count
}

function wrongOption(option: string, value: string, wanted: string): SvcError {
  return new SvcError('LOG_OPTION', `--${option} ${value} is not valid: write ${wanted}.`, { status: 400 })
}

function listFiles(logs: Logs, io: CliContext, isJson: boolean): number {
  const files = logs.files()
  if (isJson) printJson(io, files)
  else
    for (const line of formatColumns(
      files.map(({ name, title, size, modifiedAt }) => [
        name,
        modifiedAt === undefined ? 'empty' : formatSize(size),
        modifiedAt === undefined ? '' : formatMoment(modifiedAt),
        title,
      ]),
    ))
      io.out(`${line}\n`)
  return 0
}

function formatSize(size: number): string {
  return size < 1e6 ? `${Math.ceil(size / 1000)} kB` : formatMegabytes(size)
}

/** Messages come from anywhere: nothing in them reaches the terminal as a control character. */
function formatEntry({ at, level, plugin, message, fields }: LogEntry, io: CliContext): string {
  const head = [
    at === undefined ? '' : paint(io, 'dim', formatMoment(at, 'seconds')),
    level === undefined ? '' : paint(io, STYLES[level], level.padEnd(5)),
    plugin === undefined ? '' : paint(io, 'bold', safeLine(plugin)),
  ].filter(Boolean)
  const shown = withoutStacks(fields)
  const more = shown === undefined ? [] : [paint(io, 'dim', safeJson(shown))]
  return [...head, safeLine(message), ...more].join('  ')
}

/** Stacks are for programs: `--json` has them. */
function withoutStacks(fields: LogEntry['fields']): object | undefined {
  if (fields === undefined) return undefined
  return JSON.parse(JSON.stringify(fields, (key, value) => (key === 'stack' ? undefined : value))) as object
}
