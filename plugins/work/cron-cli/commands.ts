/** `/cron`: the commands of `svc cron` in a conversation. What a job made there has to tell goes to the chat where it was made. */
import { type CliArguments, type CliCommand, errorCode, type SlashCommand } from 'svc/sdk'
import type { CronJobs } from 'svc/sdk/jobs'
import { runInConversation } from 'svc/sdk/kit/commands'
import { formatTarget } from 'svc/sdk/kit/text'

/** Those that end at once: `tick` and `run --wait` work in the process that they are typed in. */
const ALLOWED = [
  ...['add', 'list', 'show', 'edit', 'pause', 'resume', 'run', 'remove', 'restore', 'history', 'preview', 'status'],
]
const ALIASES = { create: 'add', rm: 'remove', delete: 'remove' }
/** A cron expression has six fields at most, and a zone in front. */
const MAX_SCHEDULE_WORDS = 7

export function cronSlashCommand(command: CliCommand, bring: () => Promise<CronJobs>): SlashCommand {
  return {
    name: 'cron',
    description: 'Show, add and change scheduled jobs',
    category: 'Tools & Skills',
    argsHint: '[list|add|edit|pause|resume|run|remove|...]',
    subcommands: ALLOWED,
    isImmediate: true,
    run: (line, at) =>
      runInConversation(command, line, at, {
        ...{ only: ALLOWED, initial: 'list', aliases: ALIASES },
        async prepare(name, { args, options: { wait: _, ...options } }) {
          // All others take one: the name of a job may have several words.
          if (name !== 'add') return { args: args.length > 1 ? [args.join(' ')] : args, options }
          const origin = at.by && formatTarget(at.by)
          return {
            args: await splitSchedule(await bring(), args, options),
            options: { ...options, ...(origin !== undefined && { origin }) },
          }
        },
      }),
  }
}

/** People write `add every 2h look for mail`: the longest beginning that is a schedule is one; without any, all are for a model. */
async function splitSchedule(
  jobs: CronJobs,
  words: readonly string[],
  { timezone }: CliArguments['options'],
): Promise<readonly string[]> {
  if (words.length < 2) return words
  const zone = typeof timezone === 'string' ? { timeZone: timezone } : {}
  for (let count = Math.min(MAX_SCHEDULE_WORDS, words.length); count > 0; count--) {
    const schedule = words.slice(0, count).join(' ')
    if (!(await isSchedule(jobs, schedule, zone))) continue
    const rest = words.slice(count).join(' ')
    return rest === '' ? [schedule] : [schedule, rest]
  }
  return [words.join(' ')]
}

async function isSchedule(jobs: CronJobs, text: string, zone: { readonly timeZone?: string }): Promise<boolean> {
  try {
    await jobs.parse(text, zone)
    return true
  } catch (error) {
    // What is never due is a schedule all the same: adding it says so.
    if (errorCode(error) === 'CRON_NEVER') return true
    if (errorCode(error) === 'CRON_SCHEDULE') return false
    throw error
  }
}
