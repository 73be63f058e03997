/** A line that names a slash command: found, asked about where it destroys, allowed, run, and its answer said. */
import {
  BeforeSlashCommand,
  type CommandContext,
  Config,
  type Conversation,
  createTranslator,
  errorMessage,
  logFault,
  type PluginContext,
  type SlashCommand,
  SlashCommands,
  type Translate,
} from 'svc/sdk'
import { Commands, type ParsedSlashCommand } from 'svc/sdk/host'
import { takeConfirmation } from 'svc/sdk/kit/commands'
import type { MessageOrigin } from 'svc/sdk/platform'

/** A conversation that knows where its commands run. */
type Commanded = Conversation & { placeOf(command: string, by: MessageOrigin | undefined): CommandContext }

/** The slash command that a line `!command` or `!!command` stands for at a terminal; undefined for any other line. */
export function readShellLine(text: string): string | undefined {
  const [, marks, command = ''] = /^(!{1,2})(?!\[)\s*([\s\S]*)$/.exec(text.trim()) ?? []
  return marks && `/shell ${marks === '!!' ? '--private ' : ''}${command}`
}

/** Whether the line was a command. Failures are shown. */
export async function dispatch(
  ctx: PluginContext<undefined>,
  conversation: Commanded,
  line: string,
  { by, command }: { readonly by?: MessageOrigin | undefined; readonly command?: ParsedSlashCommand | undefined } = {},
): Promise<boolean> {
  const parsed =
    command && isCurrent(ctx, command) ? command : ctx.use(Commands).parse(line, conversation.front.commands)
  if (!parsed) return false
  const t = createTranslator(ctx)
  if ('unknown' in parsed) {
    const { unknown: name, nearest = '' } = parsed
    const said = nearest
      ? t('There is no command /{name}. Did you mean /{nearest}?', { name, nearest })
      : t('There is no command /{name}. /help lists them.', { name })
    conversation.say(said, 'warning')
    return true
  }
  try {
    await run(ctx, conversation.placeOf(parsed.command.name, by), parsed, t)
  } catch (error) {
    const { name } = parsed.command
    logFault(ctx.log, `/${name} failed`, error, ctx.all(SlashCommands).owner(name))
    conversation.say(errorMessage(error), 'error')
  }
  return true
}

/** Whether the command is still the one of its name: its plugin may have been reloaded while the line waited. */
function isCurrent(ctx: PluginContext<undefined>, { command }: ParsedSlashCommand): boolean {
  return ctx.all(SlashCommands).get(command.name) === command
}

async function run(
  ctx: PluginContext<undefined>,
  at: CommandContext,
  { command, args: typed }: ParsedSlashCommand,
  t: Translate,
): Promise<void> {
  const { conversation } = at
  if (command.needsIdle && conversation.busy)
    return conversation.say(t('The agent is working. Stop it with /stop, then try again.'), 'warning')
  const { isConfirmed, rest } = command.destructive ? takeConfirmation(typed) : { isConfirmed: true, rest: typed }
  if (!isConfirmed && asksFirst(ctx) && !(await confirmCommand(at, command, t))) return
  const verdict = await ctx.call(BeforeSlashCommand, { command, args: rest, at })
  if (verdict?.allow === false)
    return conversation.say(t('Not run: {reason}.', { reason: verdict.reason ?? 'denied' }), 'warning')
  const said = await command.run(rest, at)
  if (said) conversation.say(said)
}

function asksFirst(ctx: PluginContext<undefined>): boolean {
  return ctx.use(Config).get('approvals.destructive_slash_confirm') !== false
}

/** If no person can be asked, the word that skips the question has to be typed. */
async function confirmCommand(
  { conversation, person }: CommandContext,
  command: SlashCommand,
  t: Translate,
): Promise<boolean> {
  const { name } = command
  const values = { name, description: t(command.description) }
  if (!person.isReachable) {
    conversation.say(t('/{name}: {description}. Type /{name} now to do it.', values), 'warning')
    return false
  }
  const question = t(
    '/{name}: {description}. This removes the messages from view for you and the agent. Continue?',
    values,
  )
  const isYes = (await person.confirm(question)) === true
  if (!isYes) conversation.say(t('Nothing was changed.'))
  return isYes
}
