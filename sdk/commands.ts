/** Slash commands: what a user types into a conversation. One registry, provided by the kernel. */
import type { Completion } from './completions.ts'
import type { Conversation } from './conversations.ts'
import type { DecideHook } from './declarations.ts'
import {
  checkMembers,
  decisionHook,
  defineService,
  type ExtensionPoint,
  extensionPoint,
  type Ordered,
  type Registered,
  type Service,
} from './declarations.ts'
import type { Person } from './person.ts'
import type { MessageOrigin } from './platforms.ts'
import type { Dispose, Registration } from './plugin.ts'

/** Where a command is typed: on a terminal of its owner, or in a chat. @since 0.2 */
export type CommandSurface = 'cli' | 'gateway'

/** Contributed to `SlashCommands`. Names and aliases are unique over all plugins. @since 0.1 */
export interface SlashCommand extends Ordered {
  /** Without the slash. */
  readonly name: string
  readonly aliases?: readonly string[]
  /** In English; front ends show it in the user's language. */
  readonly description: string
  /** The heading under which front ends list it (default `Plugins`). */
  readonly category?: string
  /** For help: `[level|show|hide]`. */
  readonly argsHint?: string
  /** The first words it knows, for completion and for the menus of chat platforms. */
  readonly subcommands?: readonly string[]
  /** Left out: everywhere. */
  readonly surfaces?: readonly CommandSurface[]
  /** It discards something: the user has to confirm, unless the text contains `now`, `--yes` or `-y`. */
  readonly destructive?: true
  /** It changes the messages of the session, so it is refused while a turn is under way. */
  readonly needsIdle?: true
  /** In a chat it runs at once, also while a command before it is not done. */
  readonly isImmediate?: true
  /** `text` follows the name, trimmed. Returns the reply to the user, as Markdown. */
  run(args: string, at: CommandContext): string | undefined | void | Promise<string | undefined | void>
  /**
   * What may follow the name; `args` is the text after it, up to the cursor. Cheap, and never throws. A text stands for the last
   * word of `args`, and is left out where that does not begin it.
   */
  complete?(
    args: string,
    at: CommandContext,
  ): readonly (Completion | string)[] | Promise<readonly (Completion | string)[]>
}

/** Where and for whom a command runs. @since 0.2 */
export interface CommandContext {
  /** The session when the command was typed; `conversation.sessionId` is the current one. */
  readonly sessionId: string
  readonly surface: CommandSurface
  readonly cwd: string
  readonly signal: AbortSignal
  readonly conversation: Conversation
  /** The person at the front end: to confirm, choose, ask, edit and say. */
  readonly person: Person
  /** Who typed it, where several people share the front end. */
  readonly by?: MessageOrigin
}
/** @since 0.1 */
export const SlashCommands: ExtensionPoint<
  Registered<SlashCommand, 'category'>,
  /** `arguments` is the word of shell commands for `argsHint`. */
  SlashCommand & { readonly arguments?: string }
> = extensionPoint(
  'slash-commands',
  (command: SlashCommand) => command.name,
  (command) => command.aliases ?? [],
  {
    problem: checkMembers({
      name: 'string',
      description: 'string',
      run: 'function',
      aliases: 'list?',
      arguments: 'string?',
    }),
    defaults: ({ arguments: hint }: { readonly arguments?: string }) => ({
      category: OTHER_CATEGORY,
      ...(hint !== undefined && { argsHint: hint }),
    }),
    acceptsLate: true,
  },
)

/** How front ends list categories: these first, in this order, then all others. */
const CATEGORIES = ['Session', 'Configuration', 'Tools & Skills', 'Info']
/** Of commands that name no category. */
const OTHER_CATEGORY = 'Plugins'

/** Commands by their categories, those in the order in which front ends list them. Commands keep theirs. @since 0.2 */
export function groupByCategory(commands: readonly SlashCommand[]): ReadonlyMap<string, readonly SlashCommand[]> {
  const others = commands.map(({ category = OTHER_CATEGORY }) => category)
  const all = new Set([...CATEGORIES.filter((category) => others.includes(category)), ...others])
  return new Map([...all].map((each) => [each, commands.filter(({ category = OTHER_CATEGORY }) => category === each)]))
}

/**
 * Commands that come and go while svc runs: skills, bundles, a user's shortcuts. Contributed to `CommandProviders`.
 * @since 0.2
 */
export interface CommandProvider extends Ordered {
  readonly name: string
  /** Those there are now; a name that `SlashCommands` has is hidden. Cheap: asked at every completion. */
  commands(): readonly SlashCommand[]
  /**
   * Calls the listener whenever `commands()` would answer something else, until the returned function is called. Left out: menus of
   * chat platforms follow at the next change of plugins only.
   */
  onChange?(listener: () => void): Dispose
}
/** @since 0.2 */
export const CommandProviders: ExtensionPoint<CommandProvider> = extensionPoint(
  'command-sources',
  (source) => source.name,
)

/** A line that names a command, and the rest of it. @since 0.2 */
export interface ParsedSlashCommand {
  readonly command: SlashCommand
  readonly args: string
}

/** Limits of a chat platform's command menu. @since 0.2 */
export interface CommandMenuLimits {
  readonly count: number
  readonly nameLength: number
  readonly descriptionLength: number
  /** Whether names may hold hyphens; else they become underscores. */
  readonly hyphens: boolean
}

/** A line of such a menu. @since 0.2 */
export interface CommandMenuEntry {
  /** As the platform will send it back; `Commands.parse` knows it. */
  readonly name: string
  readonly description: string
  readonly subcommands: readonly string[]
}

/** Menus, parsing, help and completion all read from here. Provided by the kernel. @since 0.1 */
export interface Commands {
  /**
   * The command a line names: by its name, an alias, or a beginning that only one command has. `unknown` with the
   * nearest name when it looks like one; undefined for ordinary text.
   */
  parse(
    line: string,
    surface: CommandSurface,
  ): ParsedSlashCommand | { readonly unknown: string; readonly nearest?: string } | undefined
  /** All commands of a surface, those of sources included. */
  on(surface: CommandSurface): readonly SlashCommand[]
  /** Names that begin with what was typed, slash included. */
  complete(prefix: string, surface: CommandSurface): readonly string[]
  /** The menu of a chat platform, cut to what it allows. */
  menu(surface: CommandSurface, limits: CommandMenuLimits): readonly CommandMenuEntry[]
  /** Calls the listener when commands were added or withdrawn, perhaps several times for one change. */
  onChange(listener: () => void): Registration
}
export const Commands: Service<Commands> = defineService('commands', {
  registers: ['onChange'],
  free: ['parse', 'on', 'complete', 'menu'],
})

/** Whether a slash command may run. A gate that fails denies. @since 0.2 */
export const BeforeSlashCommand: DecideHook<{
  readonly command: SlashCommand
  readonly args: string
  readonly at: CommandContext
}> = decisionHook('command:calling', {
  timeoutMs: 600_000,
  verdict: () => ({ decision: 'deny', reason: 'a command check failed' }),
})
