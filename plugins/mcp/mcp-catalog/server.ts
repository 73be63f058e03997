/** What an entry of the catalogue is in `mcp_servers`, and whether it is there. */
import { isDeepStrictEqual } from 'node:util'
import { type ConfigEdit, formatConfigPath } from 'svc/sdk/host'
import { type CatalogManifest, INSTALL_DIR, listKeys } from './manifest.ts'

/** A block of `mcp_servers`, as config.yaml has it. */
export type ServerSettings = Readonly<Record<string, unknown>>

/** What an entry decides about. */
const OWN = ['command', 'args', 'env', 'url', 'headers', 'auth', 'oauth'] as const

/** What tells the server of an entry from another one: a person may add variables or options of OAuth. */
const DEFINING = ['command', 'args', 'url'] as const

/** The settings of the server. `isSet` tells which variables have a value: an optional one without is left out. */
export function createServer(
  manifest: CatalogManifest,
  installDir: string,
  isSet: (variable: string) => boolean,
): ServerSettings {
  const { transport } = manifest
  const names = listKeys(manifest).flatMap(({ name, required }) => (required || isSet(name) ? [name] : []))
  if (transport.type === 'http') {
    const headers = transport.headers ?? (names[0] === undefined ? {} : { Authorization: `Bearer \${${names[0]}}` })
    return { url: transport.url, ...(Object.keys(headers).length > 0 && { headers }), ...createOAuth(manifest) }
  }
  const fill = (text: string) => text.replaceAll(INSTALL_DIR, installDir)
  const fixed = Object.entries(transport.env).map(([name, value]) => [name, fill(value)] as const)
  const env = Object.fromEntries([...fixed, ...names.map((name) => [name, `\${${name}}`] as const)])
  return {
    command: fill(transport.command),
    ...(transport.args.length > 0 && { args: transport.args.map(fill) }),
    ...(Object.keys(env).length > 0 && { env }),
  }
}

function createOAuth({ auth }: CatalogManifest): ServerSettings {
  if (auth.type !== 'oauth' || auth.env_var !== undefined) return {}
  return { auth: 'oauth', ...(auth.scopes.length > 0 && { oauth: { scope: auth.scopes.join(' ') } }) }
}

/**
 * `available`: not in `mcp_servers`. `other`: a server of this name is there that is not the one of the entry: another one, or
 * that of an earlier release, since entries are never updated by themselves.
 */
export type EntryState = 'available' | 'enabled' | 'disabled' | 'other'

/** Compares an entry with what `mcp_servers` has under its name. */
export function getState(manifest: CatalogManifest, installDir: string, settings: unknown): EntryState {
  if (!isMapping(settings)) return 'available'
  const wanted = createServer(manifest, installDir, () => true)
  if (!DEFINING.every((key) => isDeepStrictEqual(settings[key] ?? undefined, wanted[key]))) return 'other'
  return settings['enabled'] === false ? 'disabled' : 'enabled'
}

/** Where the settings of a server are. */
export function serverPath(name: string, ...keys: string[]): string {
  return formatConfigPath(['mcp_servers', name, ...keys])
}

/** Edits that make `mcp_servers.<name>` the server of an entry. Of one that is that server already, other settings stay. */
export function serverEdits(name: string, server: ServerSettings, state: EntryState): readonly ConfigEdit[] {
  if (state === 'available' || state === 'other')
    return [{ path: serverPath(name), value: { ...server, enabled: true } }]
  const own = OWN.map((key) => ({ path: serverPath(name, key), value: server[key] }))
  return [...own, { path: serverPath(name, 'enabled'), value: true }]
}

/** Edits that choose tools; undefined: all of them. */
export function toolEdits(
  name: string,
  settings: unknown,
  include: readonly string[] | undefined,
): readonly ConfigEdit[] {
  const tools = isMapping(settings) && isMapping(settings['tools']) ? settings['tools'] : {}
  const others = Object.keys(tools).filter((key) => key !== 'include' && key !== 'exclude')
  if (!include && others.length === 0) return [{ path: serverPath(name, 'tools'), value: undefined }]
  const exclude =
    tools['exclude'] === undefined ? [] : [{ path: serverPath(name, 'tools', 'exclude'), value: undefined }]
  return [{ path: serverPath(name, 'tools', 'include'), value: include }, ...exclude]
}

/** The tools that were chosen earlier. */
export function getChosenTools(settings: unknown): readonly string[] | undefined {
  const tools = isMapping(settings) ? settings['tools'] : undefined
  const include = isMapping(tools) ? tools['include'] : undefined
  return Array.isArray(include) ? include.filter((name) => typeof name === 'string') : undefined
}

export function isMapping(value: unknown): value is ServerSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
