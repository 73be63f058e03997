/** `/blueprint` and `/suggestions`. What a job made in a chat has to tell goes to that chat. */
import { type CommandContext, errorMessage, type SlashCommand, SvcError, type Translate } from 'svc/sdk'
import type { ScheduledJob } from 'svc/sdk/jobs'
import { splitWords } from 'svc/sdk/kit/commands'
import { formatMoment } from 'svc/sdk/kit/terminal'
import { formatTarget } from 'svc/sdk/kit/text'
import { type CommandDeps as CliDeps, readNumber } from './cli.ts'
import { formatExample } from './fill.ts'
import { asValue } from './library.ts'
import { readSlots } from './words.ts'

export interface CommandDeps extends CliDeps {
  readonly t: Translate
}

const CATEGORY = 'Tools & Skills'

export function blueprintCommand(deps: CommandDeps): SlashCommand {
  const { library, jobs, t } = deps
  return {
    name: 'blueprint',
    aliases: ['bp'],
    description: 'List jobs with gaps to fill in, or add one',
    category: CATEGORY,
    argsHint: '[name] [slot=value...]',
    isImmediate: true,
    run: (args, at) =>
      asReply(async () => {
        const [name, ...words] = splitWords(args)
        if (name === undefined) return listBlueprints(deps)
        const { job } = await library.preview(await library.find(name), readSlots(words))
        const origin = at.by && formatTarget(at.by)
        const made = await asValue('deliver', async () =>
          (await jobs()).create({ ...job, ...(origin !== undefined && { origin }) }),
        )
        return sayAdded(made, t)
      }),
    async complete(args) {
      const { blueprints } = await library.list()
      const words = args.split(/\s+/)
      const typed = (words.at(-1) ?? '').toLowerCase()
      const offers =
        words.length < 2
          ? blueprints.map(({ key, title }) => ({ text: key, detail: title }))
          : (blueprints.find(({ key }) => key === words[0])?.fields ?? []).map(({ name, label }) => {
              return { text: `${name}=`, detail: label, open: true }
            })
      const fitting = offers.filter(({ text }) => text.startsWith(typed))
      return fitting.map((each) => ({ ...each, from: args.length - typed.length }))
    },
  }
}

async function listBlueprints({ library, t }: CommandDeps): Promise<string> {
  const { blueprints, problems } = await library.list()
  const lines = blueprints.map(({ key, description, ...rest }) => {
    const example = formatExample({ key, description, ...rest })
    return `- \`/blueprint ${key}${example === undefined ? '' : ` ${example}`}\` ${description}`
  })
  const bad = problems.map(({ skill, reason }) =>
    t('The blueprint of the skill {skill} is not used: {reason}.', { skill, reason }),
  )
  return [lines.join('\n'), ...bad].join('\n\n')
}

export function suggestionsCommand({ suggestions, t }: CommandDeps): SlashCommand {
  return {
    name: 'suggestions',
    description: 'List suggested jobs, accept or dismiss one',
    category: CATEGORY,
    argsHint: '[accept N|dismiss N]',
    subcommands: ['accept', 'dismiss'],
    isImmediate: true,
    run: (args, at: CommandContext) =>
      asReply(async () => {
        const [word, number] = splitWords(args)
        switch (word) {
          case undefined:
            break
          case 'accept':
            return sayAdded(await suggestions.accept(readNumber(number), at.by && formatTarget(at.by)), t)
          case 'dismiss':
            return t('{title} is not suggested again.', {
              title: (await suggestions.dismiss(readNumber(number))).title,
            })
          default:
            return t('/suggestions knows: accept, dismiss.')
        }
        const pending = await suggestions.list()
        if (pending.length === 0) return t('No suggestion is pending. /blueprint lists what can be added.')
        const lines = pending.map(
          ({ id, title, job, reason }) => `${id}. **${title}** (\`${job?.schedule}\`): ${reason}`,
        )
        return [
          lines.join('\n'),
          t('/suggestions accept N adds the job, /suggestions dismiss N never suggests it again.'),
        ].join('\n\n')
      }),
  }
}

function sayAdded({ name, id, nextDueAt }: ScheduledJob, t: Translate): string {
  const due = nextDueAt === undefined ? '' : formatMoment(nextDueAt)
  return t('Added {name}, due {due}. To take it back: /cron remove {id}', { name, due, id })
}

/** What a person typed wrong is a reply. */
async function asReply(work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SvcError) return errorMessage(error)
    throw error
  }
}
