/** Where the result of a run goes: a file of the home, and chats. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage, logFault, type PluginContext, SvcError } from 'svc/sdk'
import type { JobRun, ScheduledJob } from 'svc/sdk/jobs'
import { keepNewest, writeAtomically } from 'svc/sdk/kit/files'
import { type Delivery, Outbox } from 'svc/sdk/platform'
import type { Config } from './config.ts'

type Context = PluginContext<Config>

/** Repeated with the same run it sends nothing twice. Returns what could not be delivered, in words. */
export async function deliver(
  ctx: Context,
  { job, run, text }: { readonly job: ScheduledJob; readonly run: JobRun; readonly text: string },
): Promise<string | undefined> {
  const wanted = new Set(job.deliver.map((target) => target.trim()))
  if (wanted.delete('none') && wanted.size === 0) return undefined
  await keepFile(ctx, { job, run, text })
  const problems: string[] = []
  for (const target of listTargets(ctx, job, wanted)) {
    try {
      send(ctx, { job, run, text, target })
    } catch (error) {
      logFault(ctx.log, 'the output of a job could not be sent', error)
      problems.push(`${target}: ${errorMessage(error)}`)
    }
  }
  return problems.length > 0 ? problems.join('; ') : undefined
}

/** Chats, each once. Without one that `origin` could mean the file is enough. */
function listTargets(ctx: Context, { origin }: ScheduledJob, wanted: ReadonlySet<string>): readonly string[] {
  const homes = () =>
    (ctx.find(Outbox)?.destinations() ?? []).map(({ target }) => target).filter((target) => !target.includes(':'))
  const found = [...wanted].flatMap((target) => {
    if (target === 'file' || target === 'local') return []
    if (target === 'origin') return origin !== undefined ? [origin] : homes().slice(0, 1)
    return target === 'all' ? homes() : [target]
  })
  return [...new Set(found)]
}

function send(
  ctx: Context,
  {
    job,
    run,
    text,
    target,
  }: { readonly job: ScheduledJob; readonly run: JobRun; readonly text: string; readonly target: string },
): void {
  const outbox = ctx.find(Outbox)
  if (!outbox) throw new SvcError('CRON_TARGET', 'no chat platform is set up, so nothing can be sent there')
  const key = formatKey(run, target)
  const shown = ctx.config.wrap_response ? `**${job.name}**\n\n${text}` : text
  outbox.send({ target, text: shown, key })
}

/** The same for a run that is repeated, so that nothing is sent twice. */
const formatKey = ({ jobId, dueAt, trigger }: JobRun, target: string) =>
  ['cron', jobId, dueAt, trigger, target].join(':')

/** Which run a message is of, and where it was to go; undefined for messages of others. */
export function parseKey(
  key: string,
): (Pick<JobRun, 'jobId' | 'dueAt' | 'trigger'> & { readonly target: string }) | undefined {
  const [, jobId, dueAt, trigger, target] = /^cron:([0-9a-f]{12}):(\d+):(schedule|manual):(.+)$/s.exec(key) ?? []
  if (jobId === undefined || target === undefined) return undefined
  return { jobId, dueAt: Number(dueAt), trigger: trigger as JobRun['trigger'], target }
}

/** Why it will not arrive any more, as it is in the history of the job; undefined: it has, or may yet. */
export function describeFailure({ state, error }: Delivery, target: string): string | undefined {
  if (state === 'failed') return `${target}: ${error ?? 'it was refused'}`
  if (state !== 'uncertain') return undefined
  return `${target}: it may or may not have arrived${error === undefined ? '' : ` (${error})`}`
}

/** Written again by a run that is repeated, under the same name. */
async function keepFile(
  ctx: Context,
  { job, run, text }: { readonly job: ScheduledJob; readonly run: JobRun; readonly text: string },
): Promise<void> {
  const folder = outputFolder(ctx, job.id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `${new Date(run.dueAt).toISOString().replaceAll(':', '-').replace('.000Z', 'Z')}${run.trigger === 'manual' ? '-manual' : ''}.md`
  await writeAtomically(join(folder, name), `${text.trimEnd()}\n`)
  await keepNewest(folder, ctx.config.output_retention)
}

export const outputFolder = (ctx: Pick<Context, 'dataDir'>, id: string): string =>
  join(ctx.dataDir, 'output', id.replaceAll(':', '-'))
