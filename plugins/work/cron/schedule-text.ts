/** Schedules as people write them. */
import { SvcError } from 'svc/sdk'
import type { JobSchedule } from 'svc/sdk/jobs'
import { type Calendar, toMoment, zoneOffset } from './schedule.ts'

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^s(ec(ond)?s?)?$/, 1000],
  [/^m(in(ute)?s?)?$/, 60_000],
  [/^h((ou)?rs?)?$/, 3_600_000],
  [/^d(ays?)?$/, 86_400_000],
  [/^w(eeks?)?$/, 604_800_000],
]
const MIN_INTERVAL_MS = 60_000
const MAX_INTERVAL_MS = 366 * 86_400_000
const MAX_TEXT = 200
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i
const ZONE_PREFIX = /^(?:CRON_)?TZ=(\S+)\s+(.+)$/
const FORMS = 'Write 30m, every 2h, "0 9 * * mon-fri", @daily or 2027-01-31T09:00.'

export interface ScheduleOptions {
  readonly now: number
  readonly timeZone: string
}

/** Throws `CRON_SCHEDULE` if the text is not a schedule and `CRON_NEVER` if the schedule is never due. */
export function parseSchedule(text: string, options: ScheduleOptions, calendar: Calendar): JobSchedule {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  if (line === '' || line.length > MAX_TEXT) throw notASchedule(line)
  const schedule = readSchedule(line, options)
  if (calendar.nextAfter(schedule, options.now) !== undefined) return schedule
  const why = schedule.kind === 'once' ? 'is over' : 'never comes'
  throw new SvcError('CRON_NEVER', `Nothing would ever run: the time "${line}" ${why}.`, { status: 400 })
}

function readSchedule(line: string, { now, timeZone }: ScheduleOptions): JobSchedule {
  const [, zone, rest] = ZONE_PREFIX.exec(line) ?? []
  if (zone !== undefined && rest !== undefined) return readSchedule(rest, { now, timeZone: zone })
  const moment = MOMENT.exec(line)
  if (moment) return { kind: 'once', at: readMoment(moment, checkZone(timeZone)) }
  const [, every] = /^every (.+)$/i.exec(line) ?? []
  if (every !== undefined) return { kind: 'every', everyMs: checkInterval(readDuration(every, 1), line), anchorAt: now }
  const delay = readDuration(line.replace(/^in /i, ''))
  if (delay !== undefined && delay > 0 && delay <= 10 * MAX_INTERVAL_MS) return { kind: 'once', at: now + delay }
  if (delay !== undefined || !isExpression(line)) throw notASchedule(line)
  return { kind: 'expression', expression: line, timeZone: checkZone(timeZone) }
}

/** Milliseconds of `30m`, `1h30m` or `2 hours`; with `count` also of a unit alone. */
function readDuration(text: string, count?: number): number | undefined {
  const alone = findUnit(text)
  if (alone !== undefined) return count === undefined ? undefined : count * alone
  if (!/^(\d{1,6} ?[a-z]+ ?)+$/i.test(text)) return undefined
  let sum = 0
  for (const [, number, word] of text.matchAll(/(\d+) ?([a-z]+)/gi)) {
    const unit = findUnit(word ?? '')
    if (unit === undefined) return undefined
    sum += Number(number) * unit
  }
  return sum
}

const findUnit = (word: string) => UNITS.find(([form]) => form.test(word.toLowerCase()))?.[1]

function checkInterval(ms: number | undefined, line: string): number {
  if (ms === undefined) throw notASchedule(line)
  if (ms >= MIN_INTERVAL_MS && ms <= MAX_INTERVAL_MS) return ms
  throw new SvcError('CRON_SCHEDULE', `"${line}" is too short or too long: from 1 minute to 366 days.`, { status: 400 })
}

/** Five or six fields, or a name; whether they are right is for the calendar to say. */
const isExpression = (line: string) =>
  /^@[a-z]+$/i.test(line) ||
  (/^[\d*]/.test(line) && [5, 6].includes(line.split(' ').length) && !/^\d{4}-/.test(line)) ||
  line.startsWith('? ')

function readMoment([text, ...parts]: RegExpExecArray, timeZone: string): number {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  const said = [year, month, day, hour, minute, second].join()
  const date = new Date(wall)
  const is = [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
  ]
  if ([...is, date.getUTCSeconds()].join() !== said)
    throw new SvcError('CRON_SCHEDULE', `There is no such moment: ${text}.`, { status: 400 })
  const zone = parts[6]
  if (zone === undefined) return toMoment(wall, timeZone)
  if (zone.toUpperCase() === 'Z') return wall
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  return wall - (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** Throws `CRON_SCHEDULE` for a zone that this system does not know. */
export function checkZone(timeZone: string): string {
  try {
    zoneOffset(0, timeZone)
    return timeZone
  } catch (cause) {
    const text = `There is no time zone "${timeZone}". Write it like Europe/Zurich.`
    throw new SvcError('CRON_SCHEDULE', text, { status: 400, cause })
  }
}

function notASchedule(line: string): SvcError {
  return new SvcError('CRON_SCHEDULE', `"${line.slice(0, 80)}" is not a schedule. ${FORMS}`, { status: 400 })
}

/** For people, in the form that can be typed again. */
export function formatSchedule(schedule: JobSchedule): string {
  if (schedule.kind === 'expression') return `${schedule.expression} (${schedule.timeZone})`
  if (schedule.kind === 'once') return new Date(schedule.at).toISOString().replace('.000Z', 'Z')
  return `every ${formatInterval(schedule.everyMs)}`
}

function formatInterval(ms: number): string {
  const parts: string[] = []
  let rest = ms
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count}${unit}`)
  }
  return parts.join('')
}
