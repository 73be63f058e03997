/** Options of the shell as settings of a job. */
import { type CliArguments, SvcError } from 'svc/sdk'
import type { CronJobs, JobChanges, MisfirePolicy, ScheduledJob } from 'svc/sdk/jobs'

type Options = CliArguments['options']

export const getText = (options: Options, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export function getList(options: Options, name: string): readonly string[] | undefined {
  const value = options[name]
  if (value === undefined || typeof value === 'boolean') return undefined
  return (typeof value === 'string' ? [value] : value)
    .flatMap((each) => each.split(','))
    .flatMap((each) => each.trim() || [])
}

/** Only what was typed. An empty text is null: it takes the setting away. Throws `CLI_USAGE`. */
export async function readChanges(jobs: CronJobs, options: Options): Promise<JobChanges> {
  const text = (name: string) => {
    const value = getText(options, name)
    return value === '' ? null : value
  }
  const contextFrom = getList(options, 'contextFrom')
  const toolsets = getList(options, 'toolset')
  const grace = text('grace')
  return dropUndefined({
    deliver: getList(options, 'deliver'),
    skills: getList(options, 'skill'),
    script: text('script'),
    model: text('model'),
    provider: text('provider'),
    toolsets: toolsets?.length === 0 ? null : toolsets,
    contextFrom: contextFrom && (await Promise.all(contextFrom.map(async (job) => (await jobs.get(job)).id))),
    misfire: getText(options, 'misfire') as MisfirePolicy | undefined,
    catchUp: getNumber(options, 'catchUp') ?? undefined,
    graceMs: grace && (await readDuration(jobs, grace)),
    repeat: getNumber(options, 'repeat'),
    budgetUsd: getNumber(options, 'budget'),
    runBudgetUsd: getNumber(options, 'runBudget'),
    cwd: text('workdir'),
    isScriptOnly: options['agent'] === false ? true : undefined,
    mayManageJobs: options['mayManageJobs'] === true ? true : undefined,
  })
}

/** What `edit` has besides. */
export function readSkillChanges({ skills }: ScheduledJob, options: Options): JobChanges {
  const [added, removed] = [getList(options, 'addSkill') ?? [], getList(options, 'removeSkill') ?? []]
  if (options['clearSkills'] === true) return { skills: added }
  if (added.length + removed.length === 0) return {}
  return { skills: [...new Set([...skills, ...added])].filter((name) => !removed.includes(name)) }
}

export function getNumber(options: Options, name: string): number | null | undefined {
  const value = getText(options, name)
  if (value === undefined) return undefined
  if (value === '') return null
  const number = Number(value)
  if (Number.isFinite(number)) return number
  throw new SvcError(
    'CLI_USAGE',
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: "${value}" is not a number.`,
  )
}

async function readDuration(jobs: CronJobs, text: string): Promise<number> {
  const schedule = await jobs.parse(`every ${text}`)
  if (schedule.kind === 'every') return schedule.everyMs
  throw new SvcError('CLI_USAGE', `--grace: "${text}" is not a duration. Write it like 10m.`)
}

function dropUndefined(changes: { readonly [name: string]: unknown }): JobChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}
