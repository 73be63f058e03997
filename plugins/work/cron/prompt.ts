/** What the model is told at the beginning of a run. */
import { type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import type { JobRun, ScheduledJob } from 'svc/sdk/jobs'
import { markUntrusted } from 'svc/sdk/safety'
import { type Skill, SkillScanner, Skills } from 'svc/sdk/skills'
import type { Config } from './config.ts'
import type { RunTable } from './run-table.ts'

/** Characters of the output of another job. */
const MAX_CONTEXT = 8000
const MAX_SCRIPT = 50_000

export interface PromptDeps {
  readonly ctx: PluginContext<Config>
  readonly runs: RunTable
}

/** Throws `CRON_INPUT` when a skill of the job is not there. */
export async function composePrompt(
  { ctx, runs }: PromptDeps,
  {
    job,
    run,
    script,
    cwd,
  }: { readonly job: ScheduledJob; readonly run: JobRun; readonly script?: string; readonly cwd: string },
): Promise<string> {
  const due = new Date(run.dueAt).toISOString().replace('.000Z', 'Z')
  const silence = ctx.config.silence[0] ?? '[SILENT]'
  const head = `Scheduled run of the job "${job.name}", due ${due}. No person reads along or can answer questions. Your last answer is delivered as it is. If there is nothing to tell, answer only ${silence}.`
  const contexts = await Promise.all(job.contextFrom.map((id) => readContext(runs, id)))
  const output = script?.trim()
  const parts = [
    head,
    await loadSkills(ctx, job, cwd),
    ...contexts,
    output &&
      `Output of the script ${job.script}:\n${markUntrusted(output.slice(0, MAX_SCRIPT), 'output of a script')}`,
    job.prompt.trim(),
  ]
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n')
}

async function readContext(runs: RunTable, jobId: string): Promise<string> {
  const done = await runs.list({ jobId, outcomes: ['ran'], limit: 20 })
  const output = done.find(({ status, output }) => status === 'ok' && output)?.output
  if (output === undefined) return `The job ${jobId} has no output yet.`
  return `Newest output of the job ${jobId}:\n${markUntrusted(output.slice(0, MAX_CONTEXT), 'output of another job')}`
}

async function loadSkills(ctx: PluginContext<Config>, { skills }: ScheduledJob, cwd: string): Promise<string> {
  if (skills.length === 0) return ''
  const loaded = await ctx.find(Skills)?.load(skills, { surface: 'cron', cwd })
  const missing = loaded?.missing ?? skills
  if (missing.length > 0)
    throw new SvcError('CRON_INPUT', `These skills of the job are not there: ${missing.join(', ')}.`)
  await checkSkills(ctx, loaded?.loaded ?? [])
  return loaded?.text ?? ''
}

/** They may have been changed since a person agreed to them. Throws `CRON_INPUT` for one that would do harm. */
async function checkSkills(ctx: PluginContext<Config>, skills: readonly Skill[]): Promise<void> {
  if (skills.length === 0) return
  const scanner = await ctx.use(Plugins).bring(SkillScanner)
  if (!scanner) throw new SvcError('CRON_INPUT', 'The skills of the job cannot be checked, so they are not used.')
  for (const { name, folder } of skills) {
    const { verdict, findings } = await scanner.scan(folder, { signal: ctx.signal })
    if (verdict !== 'dangerous') continue
    throw new SvcError(
      'CRON_INPUT',
      `The skill ${name} of the job is not used: it ${findings[0]?.message ?? 'is dangerous'}.`,
    )
  }
}
