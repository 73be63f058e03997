/** `svc sessions resume`, `rename` and `branch`. */
import { type CliArguments, type CliContext, confirmCommand, type PluginContext, Sessions, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { formatCount, printJson, safeLine } from 'svc/sdk/kit/terminal'
import { checkConversationChange } from 'svc/sdk/sessions'
import { Tui } from 'svc/sdk/terminal'
import { findSession } from './find.ts'
import { countOption, textOption } from './text.ts'
import { findLabelPosition } from './tree.ts'

type Context = PluginContext<undefined>

/** Opens the session on the full screen; without one, prints the command that resumes it. */
export async function resume(ctx: Context, input: CliArguments, io: CliContext): Promise<number> {
  const { id } = await findSession(ctx, input.args[0] ?? '')
  const command = `svc chat -r ${safeLine(id)}`
  const isJson = input.options['json'] === true
  const screen = !isJson && io.interactive ? await ctx.use(Plugins).bring(Tui) : undefined
  if (screen && screen.missing(io) === undefined) return screen.run(io, { sessionId: id, settings: {}, yolo: false })
  if (isJson) printJson(io, { id, command })
  else io.out(`${command}\n`)
  return 0
}

export async function rename(ctx: Context, input: CliArguments, io: CliContext): Promise<void> {
  const [typed = '', ...words] = input.args
  const { id } = await findSession(ctx, typed)
  ctx.use(Sessions).rename(id, words.join(' '))
  const { title = '' } = await findSession(ctx, id)
  if (input.options['json'] === true) printJson(io, { id, title })
  else io.out(`${safeLine(id)} is called: ${safeLine(title)}\n`)
}

export async function branch(ctx: Context, input: CliArguments, io: CliContext): Promise<void> {
  const upTo = countOption(input, 'upTo', '--up-to')
  const parent = await findSession(ctx, input.args[0] ?? '')
  const at = findBranchPoint(ctx, input, parent.id)
  const where = { ...(upTo !== undefined && { upTo }), ...(at !== undefined && { at }) }
  await checkConversationChange(ctx, { reason: 'branch', sessionId: parent.id }, confirmOnTerminal(io))
  const made = ctx.use(Sessions).branch(parent.id, where)
  const messages = made.messages().length
  if (input.options['json'] === true) printJson(io, { id: made.id, parent: parent.id, messages })
  else
    io.out(
      `${made.id} begins with ${formatCount(messages, 'message')} of ${safeLine(parent.id)}.\nsvc chat -r ${made.id}\n`,
    )
}

function confirmOnTerminal(io: CliContext): ((question: string) => Promise<boolean>) | undefined {
  if (!io.interactive) return undefined
  return (question) => confirmCommand(io, `${safeLine(question)}. Continue?`, {})
}

/** The message that `--at` names, by its number or its label. Throws `CLI_USAGE`. */
function findBranchPoint(ctx: Context, input: CliArguments, id: string): number | undefined {
  const typed = textOption(input, 'at')
  if (typed === undefined) return undefined
  const labelled = findLabelPosition(ctx, id, typed)
  if (labelled !== undefined) return labelled
  const count = ctx.use(Sessions).open(id).history().length
  if (/^[1-9]\d{0,8}$/.test(typed) && Number(typed) <= count) return Number(typed)
  const known = `a label of the conversation or a number from 1 to ${count}`
  throw new SvcError(
    'CLI_USAGE',
    `--at is "${safeLine(typed)}"; it must be ${known}. \`svc sessions tree ${id}\` has the labels.`,
  )
}
