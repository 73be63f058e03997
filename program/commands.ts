/** The slash-command registry: parsing, menus and completion, all read from the same points. */
import type {
  CommandMenuEntry,
  CommandMenuLimits,
  CommandProvider,
  CommandSurface,
  Commands,
  SlashCommand,
} from '../sdk/commands.ts'
import { toRegistration } from '../sdk/kit/async/registration.ts'
import { findNearest } from '../sdk/kit/text/nearest.ts'
import type { ContributionRegistry, Dispose, Registration } from '../sdk/plugin.ts'

export class CommandTable implements Commands {
  #commands: ContributionRegistry<SlashCommand>
  #sources: ContributionRegistry<CommandProvider>

  constructor(commands: ContributionRegistry<SlashCommand>, sources: ContributionRegistry<CommandProvider>) {
    this.#commands = commands
    this.#sources = sources
  }

  parse(line: string, surface: CommandSurface): ReturnType<Commands['parse']> {
    const [, typed, args = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? []
    if (!typed) return undefined
    const all = this.on(surface)
    const name = typed.toLowerCase()
    const command = findCommand(all, name) ?? findCommand(all, name.replaceAll('_', '-')) ?? onlyOne(all, name)
    if (command) return { command, args: args.trim() }
    const close = findNearest(name, all.flatMap(names))
    return { unknown: typed, ...(close === undefined ? {} : { nearest: close }) }
  }

  on(surface: CommandSurface): readonly SlashCommand[] {
    const own = this.#commands.all()
    const taken = new Set(own.flatMap(names))
    const others = this.#sources.all().flatMap((source) => source.commands())
    const free = others.filter((command) => !names(command).some((name) => taken.has(name)))
    return [...own, ...free].filter(({ surfaces }) => surfaces?.includes(surface) ?? true)
  }

  complete(prefix: string, surface: CommandSurface): readonly string[] {
    const typed = prefix.replace(/^\//, '').toLowerCase()
    const all = this.on(surface).flatMap(names)
    return all
      .filter((name) => name.startsWith(typed))
      .sort()
      .map((name) => `/${name}`)
  }

  menu(
    surface: CommandSurface,
    { count, nameLength, descriptionLength, hyphens }: CommandMenuLimits,
  ): readonly CommandMenuEntry[] {
    const fitting = this.on(surface).flatMap(({ name, description, subcommands = [] }) => {
      const shown = hyphens ? name : name.replaceAll('-', '_')
      return shown.length > nameLength
        ? []
        : [{ name: shown, description: description.slice(0, descriptionLength), subcommands }]
    })
    return fitting.slice(0, count)
  }

  onChange(listener: () => void): Registration {
    let sources: Dispose[] = []
    const unfollow = () => {
      for (const stop of sources.splice(0)) void stop()
    }
    const follow = () => {
      unfollow()
      const all = this.#sources.all()
      sources = all.flatMap((source) => this.#sources.attempt(source, () => source.onChange?.(listener)) ?? [])
    }
    follow()
    const stops = [
      this.#commands.onChange(listener),
      this.#sources.onChange(() => {
        follow()
        listener()
      }),
    ]
    return toRegistration(() => {
      unfollow()
      for (const stop of stops) void stop()
    })
  }
}

const findCommand = (all: readonly SlashCommand[], name: string) => all.find((command) => names(command).includes(name))

/** The command that alone begins like this. */
function onlyOne(all: readonly SlashCommand[], beginning: string): SlashCommand | undefined {
  const found = all.filter((command) => names(command).some((name) => name.startsWith(beginning)))
  return found.length === 1 ? found[0] : undefined
}

function names(command: SlashCommand): string[] {
  return [command.name, ...(command.aliases ?? [])]
}
