/** What becomes of due instants: run, skipped, coalesced or expired. Pure. */
import type { JobOutcome, JobSchedule, JobSkipReason, MisfirePolicy } from 'svc/sdk/jobs'
import type { Calendar } from './schedule.ts'

/** What is known when instants are due. */
export interface DueQuestion {
  /** The oldest first. */
  readonly instants: readonly number[]
  /** More of them are due than these. */
  readonly isPart: boolean
  readonly now: number
  readonly graceMs: number
  readonly misfire: MisfirePolicy
  readonly catchUp: number
  /** Runs of earlier instants that have not begun, the oldest first. */
  readonly queued: readonly number[]
  readonly isRunning: boolean
}

export interface DueRow {
  readonly dueAt: number
  readonly outcome: Extract<JobOutcome, 'queued' | 'skipped' | 'coalesced' | 'expired'>
  readonly reason?: JobSkipReason
}

export interface DueAnswer {
  /** One for each instant. */
  readonly rows: readonly DueRow[]
  /** What becomes of earlier ones that were queued. */
  readonly changed: readonly DueRow[]
}

export function judgeInstants(question: DueQuestion): DueAnswer {
  switch (question.misfire) {
    case 'skip':
      return { rows: skipLate(question), changed: [] }
    case 'once':
      return runNewest(question)
    case 'all':
      return runAll(question)
  }
}

/** Only what is due now, and only if nothing is under way. */
function skipLate({ instants, isPart, now, graceMs, queued, isRunning }: DueQuestion): DueRow[] {
  const isBusy = isRunning || queued.length > 0
  const newest = instants.at(-1)
  return instants.map((dueAt) => {
    if (now - dueAt > graceMs) return { dueAt, outcome: 'skipped', reason: 'missed' }
    if (dueAt !== newest || isPart) return { dueAt, outcome: 'coalesced' }
    return isBusy ? { dueAt, outcome: 'skipped', reason: 'busy' } : { dueAt, outcome: 'queued' }
  })
}

function runNewest({ instants, isPart, queued }: DueQuestion): DueAnswer {
  const newest = isPart ? undefined : instants.at(-1)
  const outcome = (dueAt: number): DueRow => ({ dueAt, outcome: dueAt === newest ? 'queued' : 'coalesced' })
  return { rows: instants.map(outcome), changed: newest === undefined ? [] : queued.map(outcome) }
}

function runAll({ instants, catchUp, queued }: DueQuestion): DueAnswer {
  const kept = new Set([...queued, ...instants].slice(-Math.max(1, catchUp)))
  const expired = queued.filter((dueAt) => !kept.has(dueAt))
  return {
    rows: instants.map((dueAt) => ({ dueAt, outcome: kept.has(dueAt) ? 'queued' : 'expired' })),
    changed: expired.map((dueAt) => ({ dueAt, outcome: 'expired' })),
  }
}

const MIN_GRACE_MS = 120_000
const MAX_GRACE_MS = 7_200_000

/** How late a run may begin without counting as missed, where the job does not say: half the time between two. */
export function defaultGraceMs(schedule: JobSchedule, dueAt: number, calendar: Calendar): number {
  const next = calendar.nextAfter(schedule, dueAt)
  const half = next === undefined ? MIN_GRACE_MS : (next - dueAt) / 2
  return Math.min(MAX_GRACE_MS, Math.max(MIN_GRACE_MS, half))
}
