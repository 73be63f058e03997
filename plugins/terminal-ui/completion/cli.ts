/** `svc completion bash|zsh|fish`. */
import type { CliCommand } from 'svc/sdk'
import type { CliManifestEntry, Manifest } from 'svc/sdk/host'
import { bashScript, fishScript, type Word, zshScript } from './scripts.ts'

/** What may stand in a script without quotes, whatever a manifest says. */
const PLAIN = /^[a-z0-9][\w-]*$/i

/** `manifests` of all plugins that were found; their code is not needed. */
export function completionCommand(manifests: () => readonly Manifest[]): CliCommand {
  const shell = (name: string, install: string, script: (words: readonly Word[]) => string): CliCommand => ({
    name,
    description: `Print the script for ${name}: ${install}`,
    examples: [`completion ${name}`],
    run: async (_input, io) => io.out(script(listWords(manifests()))),
  })
  return {
    name: 'completion',
    description: 'Print a completion script for your shell. It knows the commands that exist when it is printed.',
    subcommands: [
      shell('bash', 'add eval "$(svc completion bash)" to ~/.bashrc', bashScript),
      shell('zsh', 'add eval "$(svc completion zsh)" to ~/.zshrc, after compinit', zshScript),
      shell('fish', 'svc completion fish > ~/.config/fish/completions/svc.fish', fishScript),
    ],
  }
}

function listWords(manifests: readonly Manifest[]): readonly Word[] {
  const entries = manifests.flatMap(({ cli = [] }) => cli).filter(({ hidden }) => !hidden)
  const byName = new Map(entries.filter(({ name }) => PLAIN.test(name)).map((entry) => [entry.name, entry]))
  return [...byName.values()]
    .sort((one, two) => (one.name < two.name ? -1 : 1))
    .map(({ name, description, subcommands = [] }) => ({
      name,
      description: description.replace(/[^\p{L}\p{N} ,;:.()/-]/gu, ' ').trim(),
      subcommands: [...new Set([...subcommands, ...listAdded(name, entries)])].filter((each) => PLAIN.test(each)),
    }))
}

/** Subcommands that other plugins add to a command: their entries have two words. */
function listAdded(command: string, entries: readonly CliManifestEntry[]): readonly string[] {
  return entries.filter(({ name }) => name.startsWith(`${command} `)).map(({ name }) => name.slice(command.length + 1))
}
