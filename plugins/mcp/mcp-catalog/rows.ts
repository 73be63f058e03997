/** The entries of the catalogue beside the servers of config.yaml. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Home, type PluginContext, SvcError } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { McpCatalogs } from 'svc/sdk/mcp'
import { findCatalogFolder, readCatalogs } from './catalog.ts'
import type { CatalogDiagnostic, CatalogManifest } from './manifest.ts'
import { type EntryState, getState, isMapping } from './server.ts'

type Context = PluginContext<undefined>

/** An entry and what is in config.yaml under its name. */
export interface CatalogRow {
  readonly manifest: CatalogManifest
  readonly state: EntryState
  /** The folder of its clone, which need not exist. */
  readonly dir: string
  /** What `mcp_servers` has, as it is written; secrets are `***`. */
  readonly settings: unknown
}

/** All there is to choose from. */
export interface CatalogView {
  readonly rows: readonly CatalogRow[]
  /** Servers of config.yaml that are in no catalogue. */
  readonly custom: readonly { readonly name: string; readonly enabled: boolean }[]
  /** Clones that no server of config.yaml uses. */
  readonly unused: readonly string[]
  readonly diagnostics: readonly CatalogDiagnostic[]
}

/** The folder with the clones of all entries. */
export function findInstallRoot(ctx: Context): string {
  return ctx.use(Home).path('mcp-installs')
}

export async function readView(ctx: Context): Promise<CatalogView> {
  const folders = ctx
    .all(McpCatalogs)
    .all()
    .map(({ dir }) => dir)
  const { entries, diagnostics } = await readCatalogs([findCatalogFolder(), ...folders])
  const servers = await readServers(ctx)
  const root = findInstallRoot(ctx)
  const rows = entries.map((manifest) => {
    const [dir, settings] = [join(root, manifest.name), servers[manifest.name]]
    return { manifest, dir, settings, state: getState(manifest, dir, settings) }
  })
  const custom = Object.entries(servers).flatMap(([name, settings]) => {
    if (entries.some((entry) => entry.name === name)) return []
    return [{ name, enabled: !isMapping(settings) || settings['enabled'] !== false }]
  })
  const isFolder = statSync(root, { throwIfNoEntry: false })?.isDirectory() === true
  const clones = isFolder ? readdirSync(root).filter((name) => !name.startsWith('.')) : []
  return { rows, custom, diagnostics, unused: clones.filter((name) => servers[name] === undefined).sort() }
}

/** The servers of config.yaml as they are written. */
export async function readServers(ctx: Context): Promise<Readonly<Record<string, unknown>>> {
  const { written } = await ctx.use(ConfigFile).read('mcp_servers')
  return isMapping(written) ? written : {}
}

/** The entry that is called `typed`, also with `official/` before it. Throws `MCP_CATALOG_UNKNOWN` with the nearest name. */
export async function findRow(ctx: Context, typed: string): Promise<CatalogRow> {
  const name = typed.replace(/^official\//, '')
  const { rows, diagnostics } = await readView(ctx)
  const row = rows.find(({ manifest }) => manifest.name === name)
  if (row) return row
  const problem = diagnostics.find((each) => each.name === name)
  if (problem) throw new SvcError('MCP_CATALOG_MANIFEST', problem.message, { status: 422 })
  const { closest, distance } = await import('fastest-levenshtein')
  const nearest = closest(name, ['', ...rows.map(({ manifest }) => manifest.name)])
  const isNear = nearest !== '' && distance(name, nearest) <= Math.max(2, name.length / 3)
  const hint = isNear ? ` Did you mean ${nearest}?` : ' See `svc mcp catalog`.'
  throw new SvcError('MCP_CATALOG_UNKNOWN', `The catalogue has no entry "${name}".${hint}`, { status: 404 })
}
