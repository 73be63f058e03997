/**
 * Which service reads what plugins contribute. A plugin of a user that does not say in `with` what it is loaded along with is loaded
 * along with the readers of what it contributes; without any it would never run.
 */
import { Agent } from './agent.ts'
import { ApiAgent, ApiRoutes } from './api.ts'
import { BackupRules, Backups } from './backups.ts'
import { CommandProviders, SlashCommands } from './commands.ts'
import { Completers } from './completions.ts'
import { Summarizers } from './compression.ts'
import { Conversations } from './conversations.ts'
import { SignInFlows } from './credentials.ts'
import type { ExtensionPoint, Service } from './declarations.ts'
import { Gateway } from './gateway.ts'
import { Health, HealthChecks } from './health.ts'
import type { Manifest } from './manifest.ts'
import { McpCatalogs, McpPicker } from './mcp.ts'
import { McpClients, McpExports } from './mcp-exports.ts'
import { ImageGenerators, SpeechBackends } from './media.ts'
import { Models } from './models.ts'
import { Platforms } from './platforms.ts'
import { PromptParts } from './prompt.ts'
import { Providers } from './providers.ts'
import { Setup, SetupSections } from './setup.ts'
import { StatusReport, StatusSections } from './status-report.ts'
import { KeyBindings, Overlays, StatusItems, ToolRenderers, Tui, Widgets } from './terminal-ui.ts'
import { ShellBackends } from './terminals.ts'
import { Tools } from './tools.ts'
import { Uninstaller, UninstallSteps } from './uninstall.ts'
import { WebSearchProviders } from './web.ts'

const readers: readonly (readonly [
  points: readonly Pick<ExtensionPoint<never>, 'id'>[],
  reader: Pick<Service<never>, 'id'>,
])[] = [
  [[Tools, PromptParts, Summarizers, ImageGenerators, SpeechBackends, ShellBackends, WebSearchProviders], Agent],
  [[SlashCommands, CommandProviders, Completers], Conversations],
  [[StatusItems, Widgets, ToolRenderers, KeyBindings, Overlays], Tui],
  [[Providers, SignInFlows], Models],
  [[Platforms], Gateway],
  [[ApiRoutes], ApiAgent],
  [[HealthChecks], Health],
  [[StatusSections], StatusReport],
  [[BackupRules], Backups],
  [[UninstallSteps], Uninstaller],
  [[SetupSections], Setup],
  [[McpCatalogs], McpPicker],
  [[McpExports], McpClients],
]

/** Whether something other than its contributions loads a plugin: its command, a service, a gate, or its own manifest. */
function isLoadedOtherwise({ cli = [], provides = [], guards = [], with: along = [] }: Manifest): boolean {
  return cli.length + provides.length + guards.length + along.length > 0
}

/** The ids of the services that a plugin is loaded along with; empty where nothing but its name loads it. */
export function loadedWith(manifest: Manifest): readonly string[] {
  if (isLoadedOtherwise(manifest)) return manifest.with ?? []
  const points = [...Object.keys(manifest.contributes ?? {}), ...(manifest.dynamic ?? [])]
  return readers.flatMap(([read, reader]) => (read.some(({ id }) => points.includes(id)) ? [reader.id] : []))
}

/**
 * Why a plugin would never run although it is on: nothing loads it, or what it is to be loaded along with does not exist. `others`:
 * all plugins. A service of the kernel is always there, so nothing is loaded along with it. Undefined when something does.
 * @since 0.2
 */
export function reasonNeverLoaded(
  manifest: Manifest,
  others: readonly Pick<Manifest, 'name' | 'provides'>[],
): string | undefined {
  const { cli = [], provides = [], guards = [] } = manifest
  if (cli.length + provides.length + guards.length > 0) return undefined
  const along = loadedWith(manifest)
  if (along.length === 0)
    return 'nothing loads it: plugin.json names no service in "with", no command in "cli" and no contribution that is read'
  const provided = new Set(others.flatMap((other) => other.provides ?? []))
  if (along.some((id) => provided.has(id))) return undefined
  const names = along.map((id) => `"${id}"`).join(', ')
  const meant = others.find(({ name, provides }) => along.includes(name) && provides?.length)
  const hint = meant
    ? `; "${meant.name}" is the name of a plugin, which provides "${meant.provides?.join('", "')}"`
    : ''
  return `nothing loads it: "with" names ${names}, which no plugin provides${hint}`
}
