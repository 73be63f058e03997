/** `/tree` shows the branches of this conversation and goes to one, `/label` names the point it is at. */
import {
  type CommandContext,
  createTranslator,
  type PluginContext,
  Sessions,
  type SlashCommand,
  type Translate,
} from 'svc/sdk'
import { type SessionTreeRow, SessionTrees } from 'svc/sdk/sessions'

export function treeCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = createTranslator(ctx)
  const rowsAt = ({ conversation }: CommandContext) => ctx.use(SessionTrees).rows(conversation.sessionId)
  return [
    {
      name: 'tree',
      description: 'Show the branches of this conversation, or open one',
      category: 'Session',
      argsHint: '[id|title|label]',
      surfaces: ['cli'],
      needsIdle: true,
      async run(wanted, at) {
        const rows = rowsAt(at)
        if (!wanted) return picture(rows, at.conversation.sessionId, t)
        const row = find(rows, wanted)
        return row ? goTo(ctx, row, at, t) : t('No branch and no label is called "{wanted}".', { wanted })
      },
      async complete(args, at) {
        const typed = args.toLowerCase()
        return rowsAt(at)
          .map(({ session, label }) => ({ text: label?.text ?? session.id, name: label?.text ?? session.title ?? '' }))
          .filter(({ text, name }) => `${text} ${name}`.toLowerCase().includes(typed))
          .map(({ text, name }) => ({ text, from: 0, label: name || text, detail: name === text ? '' : text }))
      },
    },
    {
      name: 'label',
      description: 'Label this point of the conversation; without text, remove its label',
      category: 'Session',
      argsHint: '[text]',
      surfaces: ['cli'],
      needsIdle: true,
      async run(text, { conversation: { sessionId } }) {
        if (ctx.use(Sessions).open(sessionId).history().length === 0) return t('Send a message first.')
        ctx.use(SessionTrees).label(sessionId, { text })
        return text ? t('Labelled: {text}. /tree goes back to it.', { text }) : t('This point has no label now.')
      },
    },
  ]
}

/** Goes to the session, or to a branch that begins where the label is. */
async function goTo(
  ctx: PluginContext<undefined>,
  { session, label }: SessionTreeRow,
  { conversation }: CommandContext,
  t: Translate,
): Promise<string | undefined> {
  if (!label) {
    if (session.id === conversation.sessionId) return t('You are in it.')
    await conversation.switchTo(session.id)
    return undefined
  }
  const createBranch = () => {
    const { id } = ctx.use(Sessions).branch(session.id, { at: label.at })
    ctx.use(Sessions).rename(id, label.text)
    return id
  }
  await conversation.switchTo(createBranch, 'branch')
  return t('You are in a branch now. Back: /resume {id}', { id: session.id })
}

/** By id or the beginning of one, title or label, in any case. */
function find(rows: readonly SessionTreeRow[], wanted: string): SessionTreeRow | undefined {
  const typed = wanted.toLowerCase()
  const names = ({ session, label }: SessionTreeRow) => (label ? [label.text] : [session.id, session.title ?? ''])
  return (
    rows.find((row) => names(row).some((name) => name.toLowerCase() === typed)) ??
    rows.find(({ session, label }) => !label && typed.length > 3 && session.id.startsWith(wanted))
  )
}

/** As code, so that Markdown leaves the lines as they are. */
function picture(rows: readonly SessionTreeRow[], current: string, t: Translate): string {
  const lines = rows.map(({ guide, session: { id, title, messageCount }, label }) => {
    if (label) return `${guide}◆ ${label.text}  #${label.at}`
    const count = t('{count, plural, one {# message} other {# messages}}', { count: messageCount })
    return `${guide}${id === current ? '●' : '○'} ${title ?? t('untitled')}  ${count}  ${id}`
  })
  return `\`\`\`\n${lines.join('\n').replaceAll('```', "'''")}\n\`\`\``
}
