/** Jobs and runs as the tables have them, and as everybody else sees them. */
import type { JobRun, JobSettings, JobState, ScheduledJob } from 'svc/sdk/jobs'
import type { JobRow, RunRow } from './migrations.ts'

/** How far a run is. What a crash in each of them means is in `recover.ts`. */
export type RunPhase = 'claimed' | 'script' | 'agent' | 'deliver'

export const defaultSettings: JobSettings = {
  prompt: '',
  isScriptOnly: false,
  skills: [],
  contextFrom: [],
  deliver: ['origin'],
  misfire: 'once',
  catchUp: 5,
  mayManageJobs: false,
}

export function toJob(row: JobRow): ScheduledJob {
  return {
    ...defaultSettings,
    ...JSON.parse(row.settings),
    id: row.id,
    name: row.name,
    schedule: JSON.parse(row.schedule),
    state: row.state as JobState,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.next_due_at !== null && row.state === 'scheduled' && { nextDueAt: row.next_due_at }),
    runCount: row.run_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function toRun(row: RunRow): JobRun {
  return {
    jobId: row.job_id,
    dueAt: row.due_at,
    trigger: row.kind as JobRun['trigger'],
    outcome: row.outcome as JobRun['outcome'],
    ...(row.reason !== null && { reason: row.reason as NonNullable<JobRun['reason']> }),
    ...(row.status !== null && { status: row.status as NonNullable<JobRun['status']> }),
    ...(row.error !== null && { error: row.error }),
    ...(row.output !== null && { output: row.output }),
    ...(row.delivery_error !== null && { deliveryError: row.delivery_error }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
    ...(row.started_at !== null && { startedAt: row.started_at }),
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    ...(row.cost_usd !== null && { costUsd: row.cost_usd }),
    attempts: row.epoch,
  }
}

/** A row of an instant that nothing has happened to yet. */
export function newRun(run: Pick<RunRow, 'job_id' | 'due_at' | 'kind' | 'outcome'> & Partial<RunRow>): RunRow {
  return {
    reason: null,
    status: null,
    error: null,
    output: null,
    delivery_error: null,
    session_id: null,
    phase: null,
    input: null,
    holder: null,
    epoch: 0,
    lease_until: null,
    started_at: null,
    ended_at: null,
    cost_usd: null,
    ...run,
  }
}
