/** Reads a schedule out of the words of a person, with the help of a model. What it says is checked like what a person types. */
import { AuxiliaryModels, type PluginContext, SvcError, tryParseJson } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import type { JobSchedule, JobSuggestion } from 'svc/sdk/jobs'
import { z } from 'zod'

const SLOT = 'cron'
const MAX_WORDS = 2000
const answer = z.object({
  schedule: z.string().max(200).nullable(),
  prompt: z.string().max(10_000).nullish(),
  name: z.string().max(100).nullish(),
})

export interface SuggestQuestion {
  readonly words: string
  readonly now: number
  readonly timeZone: string
  read(text: string): JobSchedule
}

const instructions = (
  now: number,
  timeZone: string,
) => `You turn a sentence into a schedule. It is now ${new Date(now).toISOString()}; the time zone is ${timeZone}.
Answer with one JSON object and nothing else: {"schedule": text or null, "prompt": text or null, "name": text or null}.
"schedule" is one of: a delay such as "30m" or "2h"; "every 15m"; a cron expression of five fields in that time zone, such as "0 9 * * mon-fri"; or a local moment such as "2027-01-31T09:00". null if the sentence names no time.
"prompt" is what is to be done then, without the time, in the words of the sentence; null if it does not say. "name" is a title of at most five words.`

/** Throws `CRON_SCHEDULE` if the model found no schedule or an invalid one. */
export async function suggestSchedule(
  ctx: PluginContext<unknown>,
  { words, now, timeZone, read }: SuggestQuestion,
  signal?: AbortSignal,
): Promise<JobSuggestion> {
  const models = await ctx.use(Plugins).bring(AuxiliaryModels)
  if (!models) throw new SvcError('CRON_SCHEDULE', 'no auxiliary client configured', { status: 400 })
  const { text } = await models.ask({
    slot: SLOT,
    messages: [
      { role: 'system', text: instructions(now, timeZone) },
      { role: 'user', text: words.slice(0, MAX_WORDS) },
    ],
    maxOutputTokens: 500,
    ...(signal && { signal }),
  })
  const found = answer.safeParse(tryParseJson(/\{[\s\S]*\}/.exec(text)?.[0] ?? '')?.value)
  const { schedule, prompt, name } = found.data ?? { schedule: null }
  if (schedule === null)
    throw new SvcError('CRON_SCHEDULE', `No time was found in "${words.slice(0, 80)}".`, { status: 400 })
  return { schedule: read(schedule), text: schedule, ...(prompt && { prompt }), ...(name && { name }) }
}
