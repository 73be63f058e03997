/** Jobs that plugins contribute: they are rows like all others, under ids of their own. */
import type { ContributionRegistry } from 'svc/sdk/host'
import type { Job, JobSchedule, JobSettings } from 'svc/sdk/jobs'
import { defaultSettings } from './rows.ts'

const PREFIX = 'plugin:'

export const isOfPlugin = (id: string): boolean => id.startsWith(PREFIX)

export const findPluginJob = (jobs: ContributionRegistry<Job>, id: string): Job | undefined =>
  id.startsWith(PREFIX) ? jobs.get(id.slice(PREFIX.length)) : undefined

export interface PluginJobRow {
  readonly id: string
  readonly name: string
  readonly schedule: JobSchedule
  readonly settings: JobSettings
}

export function toPluginRow(job: Job, schedule: JobSchedule): PluginJobRow {
  const settings = { ...defaultSettings, prompt: job.description, deliver: ['none'], misfire: job.misfire ?? 'once' }
  return { id: PREFIX + job.name, name: job.name, schedule, settings }
}
