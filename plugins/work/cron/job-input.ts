/** Whether a job can be what is asked for. */
import { SvcError } from 'svc/sdk'
import { type JobSettings, MISFIRE_POLICIES } from 'svc/sdk/jobs'
import { findThreat } from 'svc/sdk/kit/text'
import { z } from 'zod'

const MAX_PROMPT = 50_000
const name = z.string().trim().min(1).max(200)
const names = z.array(name).max(50)

const settings = z.strictObject({
  prompt: z.string().max(MAX_PROMPT),
  script: z
    .string()
    .max(200)
    .regex(/^(?!\/)(?!.*\.\.)[\w][\w./ -]*$/, 'is a file in the folder scripts')
    .optional(),
  isScriptOnly: z.boolean(),
  skills: names,
  provider: name.optional(),
  model: name.optional(),
  toolsets: names.optional(),
  contextFrom: names,
  deliver: names.min(1),
  origin: name.optional(),
  misfire: z.enum(MISFIRE_POLICIES),
  catchUp: z.number().int().min(1).max(100),
  graceMs: z
    .number()
    .int()
    .min(1000)
    .max(31 * 86_400_000)
    .optional(),
  repeat: z.number().int().min(1).max(1_000_000).optional(),
  budgetUsd: z.number().positive().max(1_000_000).optional(),
  runBudgetUsd: z.number().positive().max(1_000_000).optional(),
  cwd: z
    .string()
    .regex(/^(?:\/|[A-Za-z]:[\\/])/, 'is an absolute path')
    .optional(),
  mayManageJobs: z.boolean(),
  madeForModel: name.optional(),
})

/** Throws `CRON_INPUT` with the field. */
export function checkSettings(given: unknown): JobSettings {
  const read = settings.safeParse(given)
  if (!read.success) {
    const { path, message } = read.error.issues[0] ?? { path: [], message: 'is wrong' }
    const field = path.join('.')
    throw new SvcError('CRON_INPUT', `${field}: ${message}`, { status: 400, param: field })
  }
  const { prompt, script, skills, isScriptOnly } = read.data
  const fail = (text: string) => {
    throw new SvcError('CRON_INPUT', text, { status: 400, param: 'prompt' })
  }
  if (isScriptOnly && script === undefined) fail('A job without a model needs a script.')
  if (!isScriptOnly && prompt.trim() === '' && script === undefined && skills.length === 0)
    fail('Say what the job is to do: a prompt, a script, or a skill.')
  const threat = findThreat(prompt)
  if (threat !== undefined) fail(`The prompt cannot be kept: ${threat}. No person reads along when it runs.`)
  return JSON.parse(JSON.stringify(read.data)) as JobSettings
}
