/** Tables of plugins/README.md: the catalogue, shell commands, slash commands. */
import type { CliCommand, SlashCommand } from 'svc/sdk'
import type { Manifest } from 'svc/sdk/host'
import { manifests, pluginFolder } from '../repository.ts'
import { byText, code, codes, table } from './markdown.ts'

/** One table for each wing, wings and plugins by name. */
export function catalogue(): string {
  const all = manifests()
  const wings = [...new Set(all.map(({ name }) => getWing(name)))].sort()
  return wings
    .map((wing) => {
      const rows = all.filter(({ name }) => getWing(name) === wing).map(catalogueRow)
      return `### ${wing}\n\n${table(['Plugin', 'Kind', 'What it is', 'Gives', 'Needs', 'Config'], rows)}`
    })
    .join('\n\n')
}

/** The folder of a plugin's folder, as a path below `plugins`. */
function getWing(plugin: string): string {
  return pluginFolder(plugin).split('/').slice(1, -1).join('/')
}

function catalogueRow(manifest: Manifest): string[] {
  const { name, kind, description, provides = [], requires = [], contributes = {}, cli = [] } = manifest
  const gives = [
    ...(provides.length ? [`service ${codes(provides)}`] : []),
    ...(cli.length ? [codes(cli.map((entry) => `svc ${entry.name}`))] : []),
    ...Object.entries(contributes).map(([point, keys]) => `${point} ${codes(keys)}`),
  ]
  const off = manifest.optIn ? ' Off until it is named in `plugins.enabled`.' : ''
  return [
    `[${code(name)}](${getWing(name)}/${name}/README.md)`,
    kind,
    description + off,
    gives.join('; '),
    codes(requires),
    code(manifest.config ?? ''),
  ]
}

/** Every shell command that can be typed, groups left out. */
export function shellCommandsTable(commands: readonly CliCommand[]): string {
  const rows = [...commands]
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap((command) => formatCommandLines(command, 'svc'))
  return table(['Command', 'Options', 'What it does'], rows)
}

function formatCommandLines(command: CliCommand, above: string): string[][] {
  const path = `${above} ${command.name}`
  const typed = [path, command.arguments].filter(Boolean).join(' ')
  const options = codes((command.options ?? []).map((option) => option.flags))
  const own = command.run ? [[code(typed), options, command.description]] : []
  return [...own, ...(command.subcommands ?? []).flatMap((sub) => formatCommandLines(sub, path))]
}

export function slashCommandsTable(commands: readonly (SlashCommand & { readonly category: string })[]): string {
  const rows = [...commands]
    .sort((a, b) => byText(a.category, b.category) || byText(a.name, b.name))
    .map(({ name, aliases = [], argsHint = '', category, surfaces, description }) => [
      code(`/${name} ${argsHint}`.trim()),
      codes(aliases.map((alias) => `/${alias}`)),
      category,
      surfaces?.join(', ') ?? 'everywhere',
      description,
    ])
  return table(['Command', 'Also', 'Category', 'Where', 'What it does'], rows)
}
