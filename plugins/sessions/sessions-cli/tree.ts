/** `svc sessions tree` and `label`. */
import { type CliArguments, type CliContext, type PluginContext, Sessions } from 'svc/sdk'
import { formatCount, formatMoment, hasFlag, paint, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { type SessionTreeRow, SessionTrees } from 'svc/sdk/sessions'
import { findSession } from './find.ts'
import { countOption } from './text.ts'

type Context = PluginContext<undefined>

/** Without an id: the tree of the conversation that was used last in this folder, else anywhere. */
export async function tree(ctx: Context, input: CliArguments, io: CliContext): Promise<void> {
  const [typed] = input.args
  const sessions = ctx.use(Sessions)
  const last = typed === undefined ? (sessions.latest({ cwd: io.cwd }) ?? sessions.latest()) : undefined
  const session = typed === undefined ? last : await findSession(ctx, typed)
  const rows = session ? ctx.use(SessionTrees).rows(session.id) : []
  if (hasFlag(input, 'json')) return printJson(io, withLabels(rows))
  if (!session) io.err('No conversation yet. To begin one: svc chat\n')
  for (const row of rows) io.out(`${formatRow(io, row, row.session.id === session?.id)}\n`)
}

export async function label(ctx: Context, input: CliArguments, io: CliContext): Promise<void> {
  const [typed = '', ...words] = input.args
  const { id } = await findSession(ctx, typed)
  const text = words.join(' ')
  const at = ctx.use(SessionTrees).label(id, { text, at: countOption(input, 'at', '--at') })
  const kept = labelAt(ctx, id, at)
  if (hasFlag(input, 'json')) printJson(io, { id, at, label: kept ?? null })
  else if (kept === undefined) io.out(`Message ${at} of ${safeLine(id)} has no label now.\n`)
  else io.out(`Message ${at} of ${safeLine(id)} is labelled: ${safeLine(kept)}\n`)
}

/** The number of the message that a label of this session is on. */
export function findLabelPosition(ctx: Context, id: string, text: string): number | undefined {
  const wanted = text.trim().toLowerCase()
  const labels = ctx.use(SessionTrees).labels(id)
  return labels.find((label) => label.text.toLowerCase() === wanted)?.at
}

function labelAt(ctx: Context, id: string, at: number): string | undefined {
  const labels = ctx.use(SessionTrees).labels(id)
  return labels.find((each) => each.at === at)?.text
}

/** Sessions in the order of the tree, each with its labels. */
function withLabels(rows: readonly SessionTreeRow[]): readonly object[] {
  const labels = (id: string) => rows.flatMap((row) => (row.session.id === id && row.label ? [row.label] : []))
  return rows.flatMap(({ session, label: each }) => (each ? [] : [{ ...session, labels: labels(session.id) }]))
}

function formatRow(io: CliContext, { guide, session, label: each }: SessionTreeRow, isAsked: boolean): string {
  const { id, title, messageCount, updatedAt, branchedAt } = session
  if (each) return `${paint(io, 'dim', guide)}◆ ${safeLine(each.text)}  ${paint(io, 'dim', `message ${each.at}`)}`
  const name = safeLine(title ?? '-')
  const from = branchedAt === undefined ? [] : [`from message ${branchedAt}`]
  const facts = [safeLine(id), formatMoment(updatedAt), formatCount(messageCount, 'message'), ...from].join('  ')
  return `${paint(io, 'dim', guide)}${isAsked ? '●' : '○'} ${isAsked ? paint(io, 'bold', name) : name}  ${paint(io, 'dim', facts)}`
}
