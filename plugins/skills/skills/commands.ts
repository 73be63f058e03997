/** `/<skill>`, `/skills` and `/reload-skills`. */
import type { CommandContext, SlashCommand, Translate } from 'svc/sdk'
import type { CommandProvider } from 'svc/sdk/host'
import type { Skill, Skills } from 'svc/sdk/skills'
import { isOffered } from './conditions.ts'
import type { ManageDeps } from './manage.ts'
import type { StagedWord } from './staged/slash.ts'

/** Skills that one line may name. */
const MAX_STACKED = 5
/** Words of `/skills` before names of skills. */
const WORDS: readonly StagedWord[] = ['pending', 'approve', 'reject']
const CATEGORY = 'Tools & Skills'

export interface CommandDeps {
  skills(): Skills
  /** Those that are offered, without waiting. */
  known(): readonly Skill[]
  /** For changes of the agent that wait. */
  manage(): Promise<ManageDeps>
  readonly t: Translate
}

/** A command for each skill that is offered. */
export function skillCommands(deps: CommandDeps): CommandProvider {
  return {
    name: 'skills',
    // Behind those that a person named on purpose.
    order: 60,
    commands: () => deps.known().map((skill) => skillCommand(skill, deps)),
    onChange: (listener) => deps.skills().onChange(listener),
  }
}

function skillCommand({ name, description }: Skill, deps: CommandDeps): SlashCommand {
  return {
    name,
    description,
    category: CATEGORY,
    argsHint: '[task]',
    run: (args, at) => useSkills(name, args, at, deps),
  }
}

/** `/one /two task`: the first words may name further skills. */
async function useSkills(
  first: string,
  args: string,
  { conversation, cwd }: CommandContext,
  { skills, known: listKnown, t }: CommandDeps,
): Promise<string | undefined> {
  const names = [first]
  let task = args
  for (;;) {
    const [, name, rest = ''] = /^\/([a-z0-9_-]+)(?:\s+([\s\S]*))?$/i.exec(task) ?? []
    const slug = name?.toLowerCase().replaceAll('_', '-')
    if (slug === undefined || names.length >= MAX_STACKED || !listKnown().some((skill) => skill.name === slug)) break
    if (!names.includes(slug)) names.push(slug)
    task = rest.trim()
  }
  const offered = (await skills().list({ surface: conversation.front.surface, cwd })).filter(isOffered)
  const missing = names.filter((name) => !offered.some((skill) => skill.name === name))
  if (missing.length > 0)
    return t('Not there any more: {names}. /skills lists the others.', { names: missing.join(', ') })
  const line = `${names.map((name) => `/${name}`).join(' ')} ${task}`.trim()
  const wanted = task === '' ? 'The user asks you to follow the skill above.' : task
  await skills().send(conversation, { names, line, task: wanted })
  return undefined
}

export function skillsCommand({ skills, manage, t }: CommandDeps): SlashCommand {
  return {
    name: 'skills',
    description: 'List the skills, show one, or decide about changes of the agent that wait',
    category: CATEGORY,
    argsHint: '[name|pending|approve|reject]',
    subcommands: WORDS,
    isImmediate: true,
    async run(args, at) {
      const { conversation, cwd } = at
      const [first = '', id = ''] = args.split(/\s+/)
      const word = WORDS.find((each) => each === first)
      if (word) return (await import('./staged/slash.ts')).decideInChat(await manage(), word, id, at, t)
      const query = { surface: conversation.front.surface, cwd }
      if (args !== '') return showSkill(args, await skills().find(args.replace(/^\//, ''), query), t)
      const all = await skills().list(query)
      const offered = all.filter(isOffered)
      const waiting = (await (await manage()).staged.list()).writes.length
      const more = waiting > 0 ? [t('{count} changes of the agent wait: /skills pending', { count: waiting })] : []
      if (offered.length === 0)
        return [t('There are no skills. svc skills --help tells how to get some.'), ...more].join('\n\n')
      const hidden = all.length - offered.length
      const groups = new Map<string, Skill[]>()
      for (const skill of offered) {
        const group = skill.category ?? t('others')
        groups.set(group, [...(groups.get(group) ?? []), skill])
      }
      const parts = [...groups].map(
        ([name, list]) => `**${name}**\n${list.map((skill) => `- \`/${skill.name}\` ${skill.description}`).join('\n')}`,
      )
      const note = hidden > 0 ? [t('{count} more are switched off or not for this machine.', { count: hidden })] : []
      return [...parts, ...note, ...more].join('\n\n')
    },
    async complete(args, { cwd }) {
      const all = await skills().list({ cwd })
      const words = WORDS.filter((word) => word.startsWith(args.toLowerCase()))
      const names = all
        .filter(({ name }) => name.startsWith(args.toLowerCase()))
        .map(({ name, description }) => ({ text: name, from: 0, detail: description }))
      return [...names, ...words]
    },
  }
}

function showSkill(name: string, skill: Skill | undefined, t: Translate): string {
  if (!skill) return t('There is no skill {name}. /skills lists them.', { name })
  const { origin, trust, source, folder, unavailable, isDisabled } = skill
  const state = isDisabled ? t('switched off') : (unavailable ?? t('ready'))
  const from = source === undefined ? origin : `${origin}, ${source}`
  return `**${skill.name}** (${state})\n${skill.description}\n\n${t('From')}: ${from} · ${trust}\n${t('Folder')}: \`${folder}\``
}

export function reloadCommand({ skills, t }: CommandDeps): SlashCommand {
  return {
    name: 'reload-skills',
    description: 'Read the folders of skills again',
    category: CATEGORY,
    async run() {
      const { added, removed, changed, total } = await skills().reload()
      const parts = [
        ...(added.length > 0 ? [t('Added: {names}.', { names: added.join(', ') })] : []),
        ...(removed.length > 0 ? [t('Removed: {names}.', { names: removed.join(', ') })] : []),
        ...(changed.length > 0 ? [t('Changed: {names}.', { names: changed.join(', ') })] : []),
      ]
      return [...(parts.length > 0 ? parts : [t('Nothing changed.')]), t('{total} skills in all.', { total })].join(' ')
    },
  }
}
