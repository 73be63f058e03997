/** The slash-command registry: parsing, menus, help and completion, all read from the one point. */
import type { Commands, SlashCommand, Surface } from '../sdk/commands.ts'
import type { Contributions } from '../sdk/plugin.ts'
import { nearest } from './nearest.ts'

export class CommandTable implements Commands {
  #commands: Contributions<SlashCommand>

  constructor(commands: Contributions<SlashCommand>) {
    this.#commands = commands
  }

  parse(line: string, surface: Surface): ReturnType<Commands['parse']> {
    const [, name, args = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? []
    if (!name) return undefined
    const command = this.#commands.get(name.toLowerCase())
    if (command && shown(command, surface)) return { command, args: args.trim() }
    const close = nearest(name.toLowerCase(), this.on(surface).flatMap(names))
    return { unknown: name, ...(close === undefined ? {} : { nearest: close }) }
  }

  on(surface: Surface): readonly SlashCommand[] {
    return this.#commands.all().filter((command) => shown(command, surface))
  }

  help(surface: Surface): string {
    const groups = new Map<string, SlashCommand[]>()
    for (const command of this.on(surface)) {
      const group = groups.get(command.category)
      if (group) group.push(command)
      else groups.set(command.category, [command])
    }
    return [...groups]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([category, list]) => [category, ...list.sort((a, b) => a.name.localeCompare(b.name)).map(line)].join('\n'))
      .join('\n\n')
  }

  complete(prefix: string, surface: Surface): readonly string[] {
    const typed = prefix.replace(/^\//, '').toLowerCase()
    return this.on(surface)
      .flatMap(names)
      .filter((name) => name.startsWith(typed))
      .sort()
      .map((name) => `/${name}`)
  }
}

function shown(command: SlashCommand, surface: Surface): boolean {
  return command.surfaces?.includes(surface) ?? true
}

function names(command: SlashCommand): string[] {
  return [command.name, ...(command.aliases ?? [])]
}

function line(command: SlashCommand): string {
  const typed = `/${command.name}${command.argsHint ? ` ${command.argsHint}` : ''}`
  const aliases = command.aliases?.length ? ` (also ${command.aliases.map((alias) => `/${alias}`).join(', ')})` : ''
  return `  ${typed.padEnd(28)} ${command.description}${aliases}`
}
