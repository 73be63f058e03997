/** `/resume`: another conversation, by its id, its title, its number in the list, or chosen. */
import {
  type CommandContext,
  type Conversation,
  createTranslator,
  type PluginContext,
  type SessionSummary,
  Sessions,
  type SlashCommand,
} from 'svc/sdk'

const LISTED = 20
/** Where the sessions of others are left out. */
const SEARCHED = 1000

export function resumeCommand(ctx: PluginContext<undefined>): SlashCommand {
  const t = createTranslator(ctx)
  const recent = ({ conversation }: CommandContext) =>
    ctx
      .use(Sessions)
      .list({ surface: conversation.front.surface, limit: conversation.front.owns ? SEARCHED : LISTED })
      .filter(({ id }) => owns(conversation, id))
      .slice(0, LISTED)
  return {
    name: 'resume',
    aliases: ['sessions'],
    description: 'Open another conversation',
    category: 'Session',
    argsHint: '[id|title|number]',
    async run(wanted, at) {
      const all = recent(at)
      const id = wanted ? find(ctx, at, all, wanted) : await choose(at, all, t('Conversations'))
      if (wanted && id === undefined) return t('No conversation is called "{wanted}".', { wanted })
      if (id === undefined) return at.person.isReachable ? undefined : list(all)
      if (id === at.conversation.sessionId) return t('You are in it.')
      await at.conversation.switchTo(id)
      return undefined
    },
    async complete(args, at) {
      const typed = args.toLowerCase()
      const fitting = recent(at).filter(({ id, title = '' }) => `${id} ${title}`.toLowerCase().includes(typed))
      return fitting.map(({ id, title = id }) => ({ text: id, from: 0, label: title, detail: id }))
    },
  }
}

async function choose(at: CommandContext, all: readonly SessionSummary[], title: string): Promise<string | undefined> {
  const items = all.map((session) => ({ id: session.id, label: session.title ?? session.id, detail: session.cwd }))
  return at.person.choose({ title, items, current: at.conversation.sessionId }, { signal: at.signal })
}

function list(all: readonly SessionSummary[]): string {
  return all.map(({ id, title = '' }, at) => `${at + 1}. ${title} (${id})`).join('\n')
}

/** A person who shares svc with others sees only their own sessions. */
function owns({ front }: Conversation, sessionId: string): boolean {
  return front.owns?.(sessionId) ?? true
}

function find(
  ctx: PluginContext<undefined>,
  { conversation }: CommandContext,
  all: readonly SessionSummary[],
  wanted: string,
): string | undefined {
  if (/^\d{1,3}$/.test(wanted)) return all[Number(wanted) - 1]?.id
  const known = all.find(({ id, title }) => id === wanted || title === wanted)
  if (known) return known.id
  const [titled] = ctx.use(Sessions).list({ title: wanted, limit: 1 })
  const id = titled?.id ?? (/^\d{8}_/.test(wanted) ? wanted : undefined)
  return id !== undefined && owns(conversation, id) ? id : undefined
}
