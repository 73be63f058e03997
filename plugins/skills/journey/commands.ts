/** `/journey`: what was learned, with numbers by which it is changed and removed. */
import { type CommandContext, errorMessage, type Logger, logFault, type SlashCommand, type Translate } from 'svc/sdk'
import { isConfirmation } from 'svc/sdk/kit/commands'
import { type Entry, editEntry, findSource, type JourneyDeps, listEntries, removeEntry } from './entries.ts'
import { buildGraph, type Graph } from './graph.ts'

interface CommandDeps {
  /** Ids of what was removed in this process, the last one at the end. */
  readonly removed: string[]
  readonly t: Translate
  readonly log: Logger
}

interface Asked {
  readonly which: string
  readonly isSure: boolean
  readonly at: CommandContext
}

const VERBS = ['list', 'delete', 'edit', 'undo']

export function journeyCommand(deps: JourneyDeps, given: CommandDeps): SlashCommand {
  const { t, log } = given
  return {
    name: 'journey',
    aliases: ['learning', 'memory-graph'],
    description: 'Show what the agent has learned, and correct it',
    category: 'Session',
    argsHint: '[list|delete number|edit number|undo]',
    subcommands: VERBS,
    surfaces: ['cli'],
    async run(args, at) {
      const [verb = 'list', ...words] = args.split(/\s+/).filter((word) => word !== '')
      if (!VERBS.includes(verb)) return t('Type /journey list, delete, edit or undo.')
      const asked = {
        which: words.find((word) => !isConfirmation(word)) ?? '',
        ...{ isSure: words.some(isConfirmation), at },
      }
      try {
        if (verb === 'undo') return await undo(deps, given, at.signal)
        const graph = buildGraph(await listEntries(deps, at.signal), deps.sessionTitle)
        if (verb === 'list') return show(graph, t)
        const entry = findByNumber(graph, asked.which)
        if (!entry) return t('Name an entry by its number: /journey {verb} 1. /journey list shows them.', { verb })
        return await (verb === 'edit'
          ? edit(deps, given, { ...asked, entry })
          : remove(deps, given, { ...asked, entry }))
      } catch (error) {
        at.signal.throwIfAborted()
        logFault(log, `/journey ${verb} failed`, error)
        return errorMessage(error)
      }
    },
  }
}

function show({ entries, sessions, edges }: Graph, t: Translate): string {
  if (entries.length === 0) return t('Nothing was learned yet. Tell the agent what to remember, or type /learn.')
  const numbers = new Map(entries.map(({ id }, at) => [id, at + 1]))
  const titles = new Map(sessions.map(({ id, title }) => [id, title]))
  const lines = entries.map(({ id, title, isBrought }, at) => {
    const links = edges.filter(({ from }) => from === id)
    const named = (kind: string) =>
      links.filter((edge) => edge.kind === kind).map(({ to }) => numbers.get(to) ?? titles.get(to) ?? to)
    const notes = [
      ...(isBrought ? [t('not learned here')] : []),
      ...describe(named('related'), (list) => t('belongs to {list}', { list })),
      ...describe(named('mentions'), (list) => t('mentions {list}', { list })),
      ...describe(named('learned'), (list) => t('from the session {list}', { list })),
    ]
    return `${at + 1}. ${title}${notes.length > 0 ? ` _(${notes.join('; ')})_` : ''}`
  })
  const headings = [...new Set(entries.map(({ heading }) => heading))].map((heading) => {
    const own = lines.filter((_, at) => entries[at]?.heading === heading)
    return `**${heading}**\n\n${own.join('\n')}`
  })
  const hint = t('/journey edit 1 changes an entry, /journey delete 1 removes it, /journey undo brings it back.')
  return [...headings, hint].join('\n\n')
}

function describe(list: readonly (string | number)[], say: (list: string) => string): readonly string[] {
  return list.length > 0 ? [say(list.join(', '))] : []
}

function findByNumber({ entries }: Graph, which: string): Entry | undefined {
  return entries.find(({ id }, at) => String(at + 1) === which || id === which)
}

async function edit(deps: JourneyDeps, { t }: CommandDeps, { entry, at }: Asked & { readonly entry: Entry }) {
  const { source, own } = findSource(deps, entry.id)
  const before = await source.read(own, at.signal)
  const after = await at.person.edit(entry.title, { text: before, signal: at.signal })
  if (after === undefined || after.trim() === '' || after === before) return t('Nothing was changed.')
  await editEntry(deps, entry.id, { before, after, signal: at.signal })
  return t('Changed: {title}', { title: entry.title })
}

async function remove(deps: JourneyDeps, { t, removed }: CommandDeps, asked: Asked & { readonly entry: Entry }) {
  const { entry, at, isSure } = asked
  const question = t('Remove {title}?', { title: entry.title })
  if (!isSure && (await at.person.confirm(question, { signal: at.signal })) !== true) return t('Nothing was changed.')
  await removeEntry(deps, entry.id, at.signal)
  removed.push(entry.id)
  return t('Removed: {title}. /journey undo brings it back.', { title: entry.title })
}

async function undo(deps: JourneyDeps, { t, removed }: CommandDeps, signal: AbortSignal): Promise<string> {
  const id = removed.at(-1)
  if (id === undefined) return t('Nothing was removed here.')
  const { source, own } = findSource(deps, id)
  await source.restore(own, signal)
  removed.pop()
  return t('It is back.')
}
