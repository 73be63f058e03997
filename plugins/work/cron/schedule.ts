/** When schedules are due. Pure: the same schedule and moment give the same answer on every machine. */
import type { Cron } from 'croner'
import { SvcError } from 'svc/sdk'
import type { JobSchedule } from 'svc/sdk/jobs'

type Croner = typeof import('croner')

const MAX_KEPT = 500
const SECOND = 1000

/** Reads expressions with croner, which is loaded once something asks for a calendar. */
export class Calendar {
  readonly #croner: Croner
  readonly #expressions: Map<string, Cron> = new Map()

  constructor(croner: Croner) {
    this.#croner = croner
  }

  static async load(): Promise<Calendar> {
    return new Calendar(await import('croner'))
  }

  /** The first moment after this one at which it is due; undefined: never again. Throws `CRON_SCHEDULE` for a wrong expression. */
  nextAfter(schedule: JobSchedule, after: number): number | undefined {
    if (schedule.kind === 'once') return schedule.at > after ? schedule.at : undefined
    if (schedule.kind === 'every') return nextOfInterval(schedule, after)
    const cron = this.#read(schedule.expression, schedule.timeZone)
    let next = cron.nextRun(new Date(after))?.getTime()
    if (isContinuous(schedule.expression)) return next
    // A fixed time that comes twice counts once. croner names the second of a list, and of any time when it looks from between.
    while (next !== undefined && isRepeated(next, schedule.timeZone)) next = cron.nextRun(new Date(next))?.getTime()
    return next
  }

  /** Due moments from `from` up to and including `until`, the oldest first, at most `limit`. */
  between(schedule: JobSchedule, from: number, until: number, limit: number): number[] {
    const found: number[] = []
    let next = this.nextAfter(schedule, from - 1)
    while (next !== undefined && next <= until && found.length < limit) {
      found.push(next)
      next = this.nextAfter(schedule, next)
    }
    return found
  }

  #read(expression: string, timeZone: string): Cron {
    const key = `${timeZone} ${expression}`
    const known = this.#expressions.get(key)
    if (known) return known
    try {
      const cron = new this.#croner.Cron(expression, { timezone: timeZone, paused: true })
      if (this.#expressions.size >= MAX_KEPT) this.#expressions.clear()
      this.#expressions.set(key, cron)
      return cron
    } catch (cause) {
      const why = cause instanceof Error ? cause.message.replace(/^CronPattern: /, '') : ''
      throw new SvcError('CRON_SCHEDULE', `"${expression}" is not a cron expression: ${why}`, { status: 400, cause })
    }
  }
}

/** Longer than any zone sets its clocks back by. */
const FOLD_MS = 3 * 3_600_000

/** Whether every minute or every hour is meant, so that an hour that comes twice counts twice. */
function isContinuous(expression: string): boolean {
  const fields = expression.split(' ')
  return expression === '@hourly' || fields.slice(0, fields.length > 5 ? 3 : 2).some((field) => /^[*?]/.test(field))
}

function nextOfInterval({ everyMs, anchorAt }: JobSchedule & { kind: 'every' }, after: number): number {
  const count = Math.max(1, Math.floor((after - anchorAt) / everyMs) + 1)
  return anchorAt + count * everyMs
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Milliseconds that the wall clock of a zone is ahead of UTC. Throws `RangeError` for an unknown zone. */
export function zoneOffset(at: number, timeZone: string): number {
  let format = formats.get(timeZone)
  if (!format) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', era: 'short', second: 'numeric', ...parts })
    formats.set(timeZone, format)
  }
  const found = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes) => found.get(name) ?? 0
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return wall - Math.floor(at / SECOND) * SECOND
}

/** Whether the same wall-clock time was there shortly before. */
function isRepeated(at: number, timeZone: string): boolean {
  const offset = zoneOffset(at, timeZone)
  const before = zoneOffset(at - FOLD_MS, timeZone)
  return before > offset && zoneOffset(at - (before - offset), timeZone) === before
}

/**
 * The moment of a wall-clock time, given as if it were UTC: the first of two, and the first moment after a gap for one that is left
 * out.
 */
export function toMoment(wall: number, timeZone: string): number {
  const day = 86_400_000
  const offsets = [zoneOffset(wall - day, timeZone), zoneOffset(wall + day, timeZone)]
  const moments = offsets.map((offset) => wall - offset).filter((at) => at + zoneOffset(at, timeZone) === wall)
  if (moments.length > 0) return Math.min(...moments)
  let [low, high] = [wall - day, wall + day]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zoneOffset(middle, timeZone) === offsets[0]) low = middle
    else high = middle
  }
  return high
}
