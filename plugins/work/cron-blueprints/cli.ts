/** `svc cron blueprints`, `svc cron blueprint` and `svc cron suggestions`. */
import { type CliArguments, type CliCommand, type CliContext, type CliOption, SvcError } from 'svc/sdk'
import type { CronJobs, ScheduledJob } from 'svc/sdk/jobs'
import {
  formatColumns,
  formatCount,
  formatMoment,
  hasFlag,
  printJson,
  printParts,
  safeBlock,
  safeLine,
} from 'svc/sdk/kit/terminal'
import type { Blueprint } from './blueprint.ts'
import { asValue, type BlueprintLibrary, type Preview } from './library.ts'
import type { Suggestions } from './suggestions.ts'
import { readSlots } from './words.ts'

export interface CommandDeps {
  readonly library: BlueprintLibrary
  readonly suggestions: Suggestions
  jobs(): Promise<CronJobs>
}

const json: CliOption = { flags: '--json', description: 'The result as JSON' }

export function blueprintCommands(deps: CommandDeps): readonly CliCommand[] {
  return [listCommand(deps), makeCommand(deps), suggestionsCommand(deps)]
}

function listCommand({ library }: CommandDeps): CliCommand {
  return {
    name: 'cron blueprints',
    description: 'List jobs with gaps to fill in; with a name, show its values',
    arguments: '[name]',
    options: [json],
    examples: ['cron blueprints', 'cron blueprints news-digest'],
    async run({ args: [name], options }, io) {
      if (name !== undefined) return show(await library.find(name), options, io)
      const { blueprints, problems } = await library.list()
      if (options['json'] === true) printJson(io, { blueprints: blueprints.map(toData), problems })
      else {
        const rows = blueprints.map(({ key, category, description }) => [key, category, description])
        const lines = [
          ...formatColumns([['NAME', 'CATEGORY', 'DESCRIPTION'], ...rows]),
          formatCount(rows.length, 'blueprint'),
        ]
        await printParts(
          io,
          lines.map((each) => `${each}\n`),
        )
      }
      for (const { skill, reason } of problems)
        io.err(`The blueprint of the skill ${safeLine(skill)} is not used: ${safeLine(reason)}.\n`)
      return 0
    },
  }
}

function show(blueprint: Blueprint, options: CliArguments['options'], io: CliContext): number {
  if (options['json'] === true) printJson(io, toData(blueprint))
  else {
    const rows = blueprint.fields.map(({ name, label, default: standard, optional, options: of, help }) => [
      name,
      standard ?? (optional === true ? '(optional)' : '(needed)'),
      [label, of?.join(', '), help].filter((part) => part !== undefined).join('; '),
    ])
    io.out(`${safeLine(blueprint.title)}: ${safeLine(blueprint.description)}\n`)
    io.out(`${formatColumns([['VALUE', 'DEFAULT', 'WHAT IT IS'], ...rows]).join('\n')}\n`)
  }
  return 0
}

function makeCommand({ library, jobs }: CommandDeps): CliCommand {
  return {
    name: 'cron blueprint',
    description: 'Add a job from a blueprint; values are written as slot=value',
    arguments: '<name> [values...]',
    options: [{ flags: '--dry-run', description: 'Show the job and add nothing' }, json],
    examples: [
      'cron blueprint morning-brief time=07:00 days=weekdays place=Bern',
      'cron blueprint news-digest topics="open source" --dry-run',
    ],
    async run(input, io) {
      const [name = '', ...words] = input.args
      const preview = await library.preview(await library.find(name), readSlots(words))
      if (hasFlag(input, 'dryRun')) {
        printPreview(preview, input.options, io)
        return 0
      }
      const job = await asValue('deliver', async () => (await jobs()).create(preview.job))
      printJob(job, 'Added', input.options, io)
      return 0
    },
  }
}

function printPreview(preview: Preview, options: CliArguments['options'], io: CliContext): void {
  const { name, values, display, next, prompt, deliver } = preview
  if (options['json'] === true) {
    printJson(io, { name, values, schedule: display, next, prompt, deliver })
    return
  }
  const facts = [
    ['name', name],
    ['schedule', display],
    ['due', next.map((at) => formatMoment(at)).join(', ')],
    ['deliver', deliver.join(', ')],
  ]
  io.out(`${formatColumns(facts).join('\n')}\n\n${safeBlock(prompt)}\n`)
}

function printJob(job: ScheduledJob, done: string, options: CliArguments['options'], io: CliContext): void {
  if (options['json'] === true) printJson(io, job)
  else {
    const next = job.nextDueAt === undefined ? '' : ` It is due ${formatMoment(job.nextDueAt)}.`
    io.out(`${done} ${safeLine(job.name)} (${job.id}).${next} To take it back: svc cron remove ${job.id}\n`)
  }
}

function suggestionsCommand({ suggestions }: CommandDeps): CliCommand {
  const list: NonNullable<CliCommand['run']> = async ({ options }, io) => {
    const pending = await suggestions.list()
    if (options['json'] === true) printJson(io, { suggestions: pending })
    else if (pending.length === 0) io.out('No suggestion is pending. svc cron blueprints lists what can be added.\n')
    else {
      const rows = pending.map(({ id, title, job, reason }) => [String(id), title, job?.schedule ?? '', reason])
      io.out(`${formatColumns([['NO', 'JOB', 'SCHEDULE', 'WHY'], ...rows]).join('\n')}\n`)
      io.out('svc cron suggestions accept NO adds the job; dismiss NO never suggests it again.\n')
    }
    return 0
  }
  return {
    name: 'cron suggestions',
    description: 'List suggested jobs, accept or dismiss one. Nothing is scheduled before you accept',
    options: [json],
    examples: ['cron suggestions', 'cron suggestions accept 2'],
    run: list,
    subcommands: [
      {
        name: 'list',
        description: 'List the pending suggestions',
        options: [json],
        examples: ['cron suggestions list'],
        run: list,
      },
      {
        name: 'accept',
        description: 'Add the job of a suggestion',
        arguments: '<number>',
        options: [json],
        examples: ['cron suggestions accept 2'],
        async run({ args, options }, io) {
          printJob(await suggestions.accept(readNumber(args[0])), 'Added', options, io)
          return 0
        },
      },
      {
        name: 'dismiss',
        description: 'Never suggest it again',
        arguments: '<number>',
        options: [json],
        examples: ['cron suggestions dismiss 2'],
        async run({ args, options }, io) {
          const dismissed = await suggestions.dismiss(readNumber(args[0]))
          if (options['json'] === true) printJson(io, dismissed)
          else io.out(`${safeLine(dismissed.title)} is not suggested again.\n`)
          return 0
        },
      },
    ],
  }
}

/** Throws `CLI_USAGE`. */
export function readNumber(text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new SvcError('CLI_USAGE', `Name the suggestion by its number, not "${(text ?? '').slice(0, 40)}".`)
}

/** A blueprint as programs read it. */
export function toData({ key, title, description, category, tags, fields, skill }: Blueprint) {
  const wire = fields.map(({ example: _, ...field }) => ({
    ...field,
    default: field.default ?? null,
    options: [...(field.options ?? [])],
    optional: field.optional === true,
    strict: field.strict !== false,
    help: field.help ?? null,
  }))
  return { key, title, description, category, tags: [...tags], fields: wire, skill: skill ?? null }
}
