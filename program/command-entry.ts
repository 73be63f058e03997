/**
 * Which entry of a manifest what was typed means. An entry whose name is two words, such as `mcp install`, adds a subcommand to
 * the command of another plugin.
 */
import type { CliCommand } from '../sdk/cli.ts'
import type { CliManifestEntry, Manifest } from '../sdk/manifest.ts'

/** The entry that `argv` begins with, and the words after its name. The command's own subcommands come before added ones. */
export function findEntry<Entry extends CliManifestEntry>(
  entries: readonly Entry[],
  [first = '', second, ...rest]: readonly string[],
): { readonly entry: Entry; readonly after: readonly string[] } | undefined {
  const own = entries.find(({ name }) => name === first)
  const isOwn = second !== undefined && own?.subcommands?.includes(second)
  const added = isOwn ? undefined : entries.find(({ name }) => name === `${first} ${second}`)
  if (added) return { entry: added, after: rest }
  return own && { entry: own, after: second === undefined ? [] : [second, ...rest] }
}

/** Entries of plugins without a problem. */
export function listEntries<Of extends { readonly manifest: Manifest; readonly problem?: unknown }>(
  found: readonly Of[],
): (CliManifestEntry & { readonly of: Of })[] {
  return found.flatMap((of) => (of.problem ? [] : (of.manifest.cli ?? []).map((entry) => ({ ...entry, of }))))
}

/** Adds a subcommand to the command of another plugin; it is listed with that command, not beside it. */
export function isAdded({ name }: CliManifestEntry): boolean {
  return name.includes(' ')
}

/** The command with what other plugins add to it, as far as their manifests tell: for its help, and for a typo. */
export function withAdded(command: CliCommand, entries: readonly CliManifestEntry[]): CliCommand {
  const own = command.subcommands ?? []
  const added = entries
    .filter(({ name, hidden }) => !hidden && name.startsWith(`${command.name} `))
    .map(({ name, description, example }) => {
      const word = name.slice(command.name.length + 1)
      return { name: word, description, ...(example !== undefined && { examples: [example] }) }
    })
    .filter(({ name }, at, all) => {
      return !own.some((sub) => sub.name === name) && all.findIndex((other) => other.name === name) === at
    })
  return added.length === 0 ? command : { ...command, subcommands: [...own, ...added] }
}
