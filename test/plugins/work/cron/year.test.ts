/** A year of 200 jobs in five time zones, of which each day of the year tries another part. */
import type { Job, MisfirePolicy } from 'svc/sdk/jobs'
import { expect, test } from 'vitest'
import { Calendar } from '../../../../plugins/work/cron/schedule.ts'
import { DAY, IS_ALL, isToday } from '../../../support/today.ts'
import { day, hour, minute, noting, setClock, startCron } from './support.ts'
import { ZONES } from './zones.ts'

const START = Date.UTC(2026, 0, 1)
const END = START + 365 * day
const JOBS = 200
/** 29 jobs a day, of all zones, schedules and policies. */
const PARTS = 14

/** Some are due in the hours that zones leave out or have twice. */
const schedules = [
  (number: number) => `${number % 60} 2 * * *`,
  (number: number) => `${number % 60} 1 * * *`,
  (number: number) => `${number % 60} 0,12 * * *`,
  (number: number) => `${number % 60} 6,18 * * *`,
  (number: number) => `${number % 60} 9 * * mon-fri`,
  () => `30 2,3 * * sun`,
  () => `0 0 1 * *`,
  (number: number) => `every ${10 + (number % 5)}h`,
]
const policies: readonly MisfirePolicy[] = ['skip', 'once', 'all']

/** Steps from a minute to six days, as of a machine that often sleeps; the same ones for the same day. */
function* steps(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return state / 2 ** 31
  }
  for (;;) yield Math.round(minute + (next() < 0.3 ? hour : 6 * day) * next())
}

test(`each due instant of a year has one row (SVC_FAULTS_DAY=${DAY})`, {
  timeout: IS_ALL ? 7_200_000 : 600_000,
}, async () => {
  const clock = setClock()
  const jobs: Job[] = Array.from({ length: JOBS }, (_, number) => {
    const text = schedules[number % schedules.length]?.(number) ?? ''
    const timeZone = ZONES[number % ZONES.length] ?? 'UTC'
    return noting({
      ...{ name: `job-${number}`, schedule: text, misfire: policies[number % policies.length] ?? 'once' },
      ...(!text.startsWith('every') && { timeZone }),
    }).job
  }).filter((_, number) => isToday(number, PARTS))
  const { cron } = await startCron({ clock }, jobs)
  await cron.tick()
  for (const step of steps(DAY)) {
    if (clock.now() >= END) break
    // A clock that is set back finds nothing to write again.
    if (step % 7 === 0) {
      clock.set(-hour)
      await cron.tick()
      clock.set(hour)
    }
    clock.set(step)
    await cron.tick()
  }
  const calendar = await Calendar.load()
  const finals = ['ran', 'skipped', 'coalesced', 'expired']
  let count = 0
  for (const { name, schedule } of await cron.list()) {
    const runs = await cron.runs({ job: name, limit: 1000 })
    const due = calendar.between(schedule, START + 1, clock.now(), Number.POSITIVE_INFINITY)
    expect(
      runs.map(({ dueAt }) => dueAt).toSorted((one, other) => one - other),
      name,
    ).toEqual(due)
    expect(
      runs.filter(({ outcome }) => !finals.includes(outcome)),
      name,
    ).toEqual([])
    count += due.length
  }
  expect(count).toBeGreaterThan(jobs.length * 12)
})
