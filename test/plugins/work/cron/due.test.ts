/** What becomes of due instants. */
import fc from 'fast-check'
import { MISFIRE_POLICIES } from 'svc/sdk/jobs'
import { expect, test } from 'vitest'
import { type DueQuestion, judgeInstants } from '../../../../plugins/work/cron/due.ts'

const minute = 60_000
const late: DueQuestion = {
  instants: [1, 2, 3, 4].map((at) => at * minute),
  isPart: false,
  now: 100 * minute,
  graceMs: 2 * minute,
  misfire: 'once',
  catchUp: 2,
  queued: [],
  isRunning: false,
}
const outcomes = (question: DueQuestion) => judgeInstants(question).rows.map(({ outcome, reason }) => reason ?? outcome)

test('missed instants are skipped, made up for by one run, or by as many as the job says', () => {
  expect(outcomes({ ...late, misfire: 'skip' })).toEqual(['missed', 'missed', 'missed', 'missed'])
  expect(outcomes({ ...late, misfire: 'once' })).toEqual(['coalesced', 'coalesced', 'coalesced', 'queued'])
  expect(outcomes({ ...late, misfire: 'all' })).toEqual(['expired', 'expired', 'queued', 'queued'])
})

test('what is due now runs under every policy, unless the run before is under way', () => {
  const now = { ...late, now: 4 * minute + 500, instants: [4 * minute] }
  for (const misfire of MISFIRE_POLICIES) expect(outcomes({ ...now, misfire })).toEqual(['queued'])
  expect(outcomes({ ...now, misfire: 'skip', isRunning: true })).toEqual(['busy'])
  expect(judgeInstants({ ...now, queued: [3 * minute] })).toEqual({
    rows: [{ dueAt: 4 * minute, outcome: 'queued' }],
    changed: [{ dueAt: 3 * minute, outcome: 'coalesced' }],
  })
})

test('each instant gets one answer, and no more than the policy says begin', () => {
  const instants = fc.uniqueArray(fc.integer({ min: 50, max: 200 }), { maxLength: 20 })
  fc.assert(
    fc.property(
      instants,
      fc.uniqueArray(fc.integer({ min: 1, max: 49 }), { maxLength: 5 }),
      fc.constantFrom(...MISFIRE_POLICIES),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      fc.boolean(),
      (given, before, misfire, catchUp, isPart, isRunning) => {
        const [times, queued] = [given.toSorted((a, b) => a - b), before.toSorted((a, b) => a - b)]
        const { rows, changed } = judgeInstants({
          ...{ instants: times, queued, misfire, catchUp, isPart, isRunning },
          ...{ now: 200, graceMs: 60 },
        })
        expect(rows.map(({ dueAt }) => dueAt)).toEqual(times)
        const ended = new Set(changed.filter(({ outcome }) => outcome !== 'queued').map(({ dueAt }) => dueAt))
        expect(queued).toEqual(expect.arrayContaining([...ended]))
        const begins = rows.filter(({ outcome }) => outcome === 'queued').length + queued.length - ended.size
        const most = { skip: Math.max(1, queued.length), once: Math.max(1, queued.length), all: Math.max(catchUp, 1) }
        if (times.length > 0) expect(begins).toBeLessThanOrEqual(most[misfire])
      },
    ),
  )
})
