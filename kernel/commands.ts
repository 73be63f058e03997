/** The slash-command registry: parsing, menus and completion, all read from the same points. */
import type { CommandSource, Commands, MenuEntry, MenuLimits, SlashCommand, Surface } from '../sdk/commands.ts'
import type { Contributions } from '../sdk/plugin.ts'
import { nearest } from './nearest.ts'

export class CommandTable implements Commands {
  #commands: Contributions<SlashCommand>
  #sources: Contributions<CommandSource>

  constructor(commands: Contributions<SlashCommand>, sources: Contributions<CommandSource>) {
    this.#commands = commands
    this.#sources = sources
  }

  parse(line: string, surface: Surface): ReturnType<Commands['parse']> {
    const [, typed, args = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? []
    if (!typed) return undefined
    const all = this.on(surface)
    const name = typed.toLowerCase()
    const command = named(all, name) ?? named(all, name.replaceAll('_', '-')) ?? onlyOne(all, name)
    if (command) return { command, args: args.trim() }
    const close = nearest(name, all.flatMap(names))
    return { unknown: typed, ...(close === undefined ? {} : { nearest: close }) }
  }

  on(surface: Surface): readonly SlashCommand[] {
    const own = this.#commands.all()
    const taken = new Set(own.flatMap(names))
    const others = this.#sources.all().flatMap((source) => source.commands())
    const free = others.filter((command) => !names(command).some((name) => taken.has(name)))
    return [...own, ...free].filter(({ surfaces }) => surfaces?.includes(surface) ?? true)
  }

  complete(prefix: string, surface: Surface): readonly string[] {
    const typed = prefix.replace(/^\//, '').toLowerCase()
    const all = this.on(surface).flatMap(names)
    return all
      .filter((name) => name.startsWith(typed))
      .sort()
      .map((name) => `/${name}`)
  }

  menu(surface: Surface, { count, nameLength, descriptionLength, hyphens }: MenuLimits): readonly MenuEntry[] {
    const fitting = this.on(surface).flatMap(({ name, description, subcommands = [] }) => {
      const shown = hyphens ? name : name.replaceAll('-', '_')
      return shown.length > nameLength
        ? []
        : [{ name: shown, description: description.slice(0, descriptionLength), subcommands }]
    })
    return fitting.slice(0, count)
  }
}

const named = (all: readonly SlashCommand[], name: string) => all.find((command) => names(command).includes(name))

/** The command that alone begins like this. */
function onlyOne(all: readonly SlashCommand[], beginning: string): SlashCommand | undefined {
  const found = all.filter((command) => names(command).some((name) => name.startsWith(beginning)))
  return found.length === 1 ? found[0] : undefined
}

function names(command: SlashCommand): string[] {
  return [command.name, ...(command.aliases ?? [])]
}
