/** What may follow what was typed: names of commands, their arguments, and whatever plugins know. */
import { type CommandContext, type Completion, createTranslator, type PluginContext } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import { Completers } from 'svc/sdk/terminal'

/** The first who knows something answers. */
export async function completions(
  ctx: PluginContext<undefined>,
  at: CommandContext,
  text: string,
): Promise<readonly Completion[]> {
  const [, name, args] = /^\/([\w-]*)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  if (name !== undefined && args === undefined) return commandNames(ctx, at, text)
  const known = args === undefined ? [] : await commandArguments(ctx, at, text, args)
  if (known.length > 0) return known
  for (const completer of ctx.all(Completers).all()) {
    const found = await completer.complete(text, at)
    if (found.length > 0) return found
  }
  return []
}

function commandNames(ctx: PluginContext<undefined>, { surface }: CommandContext, text: string): readonly Completion[] {
  const t = createTranslator(ctx)
  const commands = ctx.use(Commands)
  const all = commands.on(surface)
  return commands.complete(text, surface).flatMap((label) => {
    const command = all.find(({ name, aliases = [] }) => [name, ...aliases].includes(label.slice(1)))
    // An alias of what is listed already would be the same command twice.
    if (command && label !== `/${command.name}` && `/${command.name}`.startsWith(text.toLowerCase())) return []
    const hint = command?.argsHint
    return {
      text: hint ? `${label} ` : label,
      from: 0,
      label: hint ? `${label} ${hint}` : label,
      ...(command && { detail: t(command.description) }),
      open: hint !== undefined,
    }
  })
}

async function commandArguments(
  ctx: PluginContext<undefined>,
  at: CommandContext,
  text: string,
  args: string,
): Promise<readonly Completion[]> {
  const parsed = ctx.use(Commands).parse(text, at.surface)
  if (!parsed || 'unknown' in parsed) return []
  const { command } = parsed
  const from = text.length - args.length
  if (command.complete)
    return readCompletions(await command.complete(args, at), args).map((found) => ({
      ...found,
      from: from + found.from,
    }))
  if (/\s/.test(args)) return []
  const words = (command.subcommands ?? []).filter((word) => word.startsWith(args.toLowerCase()))
  return words.map((word) => ({ text: word, from }))
}

/** A text stands for the word that is being typed. */
function readCompletions(given: readonly (Completion | string)[], args: string): readonly Completion[] {
  const from = args.search(/\S*$/)
  const word = args.slice(from).toLowerCase()
  return given.flatMap((each) => {
    if (typeof each !== 'string') return [each]
    return each.toLowerCase().startsWith(word) ? [{ text: each, from }] : []
  })
}
