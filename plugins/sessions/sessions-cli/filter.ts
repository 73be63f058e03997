/** The options that say which sessions are meant. */
import { resolve } from 'node:path'
import { type CliArguments, type CliContext, Clock, type PluginContext, SvcError } from 'svc/sdk'
import { safeLine } from 'svc/sdk/kit/terminal'
import type { SessionFilter } from 'svc/sdk/sessions'
import { countOption, textOption } from './text.ts'

/** More sessions than exist: without a limit the service lists a hundred. */
export const everySession = 1_000_000_000

const hourMs = 3_600_000
const unitMs = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs } as const

/** Throws `CLI_USAGE` for an invalid age or count. */
export function createFilter(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): SessionFilter {
  const now = ctx.use(Clock).now()
  const [surface, cwd, title] = ['surface', 'cwd', 'title'].map((name) => textOption(input, name))
  const before = parseMoment(textOption(input, 'olderThan'), '--older-than', now)
  const after = parseMoment(textOption(input, 'newerThan'), '--newer-than', now)
  const limit = countOption(input, 'limit', '--limit')
  return {
    ...(surface !== undefined && { surface }),
    ...(cwd !== undefined && { cwd: resolve(io.cwd, cwd) }),
    ...(title !== undefined && { title }),
    ...(before !== undefined && { usedBefore: before }),
    ...(after !== undefined && { usedAfter: after }),
    ...(limit !== undefined && { limit }),
  }
}

/** The moment an age ago, or that of a date: `2026-03-14`, `2026-03-14T09:26`, in local time unless it says another. */
function parseMoment(value: string | undefined, flag: string, now: number): number | undefined {
  if (value === undefined) return undefined
  const age = /^(\d{1,6})([hdw]?)$/.exec(value)
  if (age) return now - Number(age[1]) * unitMs[(age[2] || 'd') as keyof typeof unitMs]
  const date = /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : value
  const at = /^\d{4}-\d\d-\d\dT/.test(date) ? Date.parse(date) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new SvcError(
    'CLI_USAGE',
    `${flag} is "${safeLine(value)}"; it must be an age such as 5h, 2d or 1w, a number of days, or a date such as 2026-03-14.`,
  )
}
