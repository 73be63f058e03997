/** When jobs are due, in zones that set their clocks. */
import * as croner from 'croner'
import fc from 'fast-check'
import type { JobSchedule } from 'svc/sdk/jobs'
import { expect, test } from 'vitest'
import { Calendar, toMoment, zoneOffset } from '../../../../plugins/work/cron/schedule.ts'
import { formatSchedule, parseSchedule } from '../../../../plugins/work/cron/schedule-text.ts'
import { IS_ALL } from '../../../support/today.ts'
import { ZONES } from './zones.ts'

const calendar = new Calendar(croner)
const start = Date.UTC(2026, 0, 1)
const day = 86_400_000
const cron = (expression: string, timeZone = 'UTC'): JobSchedule => ({ kind: 'expression', expression, timeZone })
const parse = (text: string, timeZone = 'Europe/Berlin') => parseSchedule(text, { now: start, timeZone }, calendar)
const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString().slice(0, 16))
const next = (schedule: JobSchedule, after: string, count = 3) =>
  calendar.between(schedule, Date.parse(`${after}Z`) + 1, Number.MAX_SAFE_INTEGER, count).map(iso)

test('a time that a zone leaves out is due after the gap, and one that comes twice is due once', () => {
  const newYork = 'America/New_York'
  expect(next(cron('30 2 * * *', newYork), '2026-03-07T12:00')).toEqual([
    '2026-03-08T07:00',
    '2026-03-09T06:30',
    '2026-03-10T06:30',
  ])
  expect(next(cron('30,45 1 * * *', newYork), '2026-10-31T12:00')).toEqual([
    '2026-11-01T05:30',
    '2026-11-01T05:45',
    '2026-11-02T06:30',
  ])
  expect(next(cron('*/30 * * * *', newYork), '2026-11-01T05:00', 4)).toEqual([
    '2026-11-01T05:30',
    '2026-11-01T06:00',
    '2026-11-01T06:30',
    '2026-11-01T07:00',
  ])
  // Between the two, where the second 1:30 and 1:45 are still to come.
  expect(next(cron('30,45 1 * * *', newYork), '2026-11-01T05:50', 1)).toEqual(['2026-11-02T06:30'])
})

test('the next due moment does not depend on where one begins to look', () => {
  const expressions = ['30 2 * * *', '*/20 * * * *', '15,45 1,3 * * sun', '0 9 1 * *', '5 */2 * * *', '30 1,2 * * *']
  fc.assert(
    fc.property(
      fc.constantFrom(...expressions),
      fc.constantFrom(...ZONES),
      fc.constantFrom(...ZONES.flatMap((zone) => clockChanges(zone, 2026))),
      fc.integer({ min: -4 * 3_600_000, max: 4 * 3_600_000 }),
      (expression, timeZone, change, shift) => {
        const after = change + shift
        const schedule = cron(expression, timeZone)
        const all = calendar.between(schedule, after - 2 * day, after + 40 * day, 300)
        expect(calendar.nextAfter(schedule, after)).toBe(all.find((at) => at > after))
      },
    ),
    { numRuns: IS_ALL ? 300 : 8 },
  )
})

const wildcards: readonly (readonly [string, (minute: number, hour: number) => boolean])[] = [
  ['*/15 * * * *', (minute) => minute % 15 === 0],
  ['0 * * * *', (minute) => minute === 0],
  ['10,40 */2 * * *', (minute, hour) => [10, 40].includes(minute) && hour % 2 === 0],
  ['*/20 1-3 * * *', (minute, hour) => minute % 20 === 0 && hour >= 1 && hour <= 3],
]

test('what a wildcard says agrees with a search through all minutes, through both changes of the clock', () => {
  for (const zone of ZONES)
    for (const change of clockChanges(zone, 2026)) {
      const [from, until] = [change - 2 * 3_600_000, change + 2 * 3_600_000]
      for (const [expression, fits] of wildcards) {
        const minutes = Array.from({ length: (until - from) / 60_000 + 1 }, (_, at) => from + at * 60_000)
        const wall = (at: number) => new Date(at + zoneOffset(at, zone))
        const wanted = minutes.filter((at) => fits(wall(at).getUTCMinutes(), wall(at).getUTCHours()))
        expect(calendar.between(cron(expression, zone), from, until, 1000), `${expression} ${zone}`).toEqual(wanted)
      }
    }
})

test('an interval counts from its anchor, wherever one looks, and does not drift', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 60_000, max: 40 * day }),
      fc.integer({ min: -day, max: 400 * day }),
      (everyMs, after) => {
        const at = calendar.nextAfter({ kind: 'every', everyMs, anchorAt: start }, start + after) ?? 0
        expect((at - start) % everyMs).toBe(0)
        expect(at).toBeGreaterThan(start + after)
        expect(at - Math.max(start, start + after)).toBeLessThanOrEqual(everyMs)
      },
    ),
  )
})

test('delays, intervals, expressions with names, moments and zones are read', () => {
  expect(parse('30m')).toEqual({ kind: 'once', at: start + 1_800_000 })
  expect(parse('in 1h30m')).toEqual({ kind: 'once', at: start + 5_400_000 })
  expect(parse('every 2 hours')).toEqual({ kind: 'every', everyMs: 7_200_000, anchorAt: start })
  expect(parse('every day')).toEqual({ kind: 'every', everyMs: day, anchorAt: start })
  expect(parse('0 9 * * mon-fri')).toEqual(cron('0 9 * * mon-fri', 'Europe/Berlin'))
  expect(parse('TZ=Asia/Tokyo @daily')).toEqual(cron('@daily', 'Asia/Tokyo'))
  expect(parse('2026-07-01T09:00')).toEqual({ kind: 'once', at: Date.parse('2026-07-01T07:00Z') })
  expect(parse('2026-07-01 09:00+02:00')).toEqual({ kind: 'once', at: Date.parse('2026-07-01T07:00Z') })
  // Left out by the zone, and there twice.
  expect(parse('2026-03-29T02:30')).toEqual({ kind: 'once', at: Date.parse('2026-03-29T01:00Z') })
  expect(parse('2026-10-25T02:30')).toEqual({ kind: 'once', at: Date.parse('2026-10-25T00:30Z') })
  expect(formatSchedule(parse('every 90m'))).toBe('every 1h30m')
  expect(formatSchedule(parse('0 9 * * 1'))).toBe('0 9 * * 1 (Europe/Berlin)')
})

test('what is no schedule is refused, and so is one that is never due', () => {
  const wrong = [
    '',
    'soon',
    'every',
    'every 5s',
    '61 * * * *',
    '* * *',
    '0 9 * * funday',
    '2026-02-30T09:00',
    '0m',
    '-5m',
  ]
  for (const text of wrong) expect(() => parse(text), text).toThrow(expect.objectContaining({ code: 'CRON_SCHEDULE' }))
  for (const text of ['0 0 30 2 *', '0 0 31 feb,apr *', '2020-01-01T00:00', '2025-12-31T23:59Z'])
    expect(() => parse(text), text).toThrow(expect.objectContaining({ code: 'CRON_NEVER' }))
  expect(() => parse('@daily', 'Mars/Base')).toThrow(/no time zone "Mars\/Base"/)
  expect(() => parse('9'.repeat(500))).toThrow(expect.objectContaining({ code: 'CRON_SCHEDULE' }))
  // A leap day comes, however late.
  expect(iso(calendar.nextAfter(cron('0 0 29 2 *'), Date.UTC(2096, 2, 1)))).toBe('2104-02-29T00:00')
})

test('any text is either a schedule that is due, or refused with a code', () => {
  const word = fc.constantFrom(
    '*',
    '0',
    '59',
    '*/5',
    'mon',
    '30m',
    'every',
    'in',
    '2026-12-24',
    'L',
    '?',
    '1-5',
    'x',
    '@daily',
    '#',
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 7 }), (words) => {
      try {
        expect(calendar.nextAfter(parse(words.join(' ')), start)).toBeGreaterThan(start)
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^CRON_(SCHEDULE|NEVER)$/) })
      }
    }),
    { numRuns: 300 },
  )
})

test('a wall-clock time becomes a moment that shows it, where there is one', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.integer({ min: 0, max: 365 * 24 * 60 }), (zone, minute) => {
      const wall = start + minute * 60_000
      const at = toMoment(wall, zone)
      const shown = at + zoneOffset(at, zone)
      expect(shown).toBeGreaterThanOrEqual(wall)
      expect(shown - wall).toBeLessThanOrEqual(3_600_000)
      expect(toMoment(shown, zone)).toBe(at)
    }),
  )
})

/** The first moments with another offset. */
function clockChanges(zone: string, year: number): number[] {
  const found: number[] = []
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += day) {
    if (zoneOffset(at, zone) === zoneOffset(at + day, zone)) continue
    let [low, high] = [at, at + day]
    while (high - low > 60_000) {
      const middle = low + Math.floor((high - low) / 120_000) * 60_000
      if (zoneOffset(middle, zone) === zoneOffset(low, zone)) low = middle
      else high = middle
    }
    found.push(high)
  }
  return found
}
