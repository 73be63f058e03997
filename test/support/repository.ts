/** The repository as files: what the architecture tests and the docs generator look at. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Manifest } from 'svc/sdk/host'

/** The top level. */
export const root: string = resolve(import.meta.dirname, '../..')

/** The folders of the program besides the SDK and the plugins. Each imports only itself and those before it. */
export const rooms = ['kernel', 'home', 'loader', 'program'] as const

/** The text of a file, by its path from the top level. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export function exists(path: string): boolean {
  return existsSync(join(root, path))
}

/** Every file below a folder, as paths from the top level with forward slashes, sorted. */
export function filesBelow(dir: string): string[] {
  if (!exists(dir)) return []
  return readdirSync(join(root, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .split(sep)
        .join('/'),
    )
    .filter((path) => !path.includes('node_modules/'))
    .sort()
}

/** Code of the browser, which has its own type check: rules about what runs in the process do not concern it. */
const browserCode = 'plugins/dashboard/web-ui/app/'

/** Sources of the browser: rules about how code reads and how long it is concern them, too. */
export function browserSources(): string[] {
  return filesBelow(browserCode.slice(0, -1)).filter((path) => /\.tsx?$/.test(path))
}

/** TypeScript sources below some folders. */
export function sourcesBelow(...dirs: readonly string[]): string[] {
  return dirs.flatMap(filesBelow).filter((path) => path.endsWith('.ts') && !path.startsWith(browserCode))
}

/** Names of the built-in plugins, sorted. */
export function pluginNames(): string[] {
  return [...pluginFolders.keys()].sort()
}

/** The folder of a built-in plugin, as a path from the top level. Throws if there is no such plugin. */
export function pluginFolder(name: string): string {
  const folder = pluginFolders.get(name)
  if (folder === undefined) throw new Error(`there is no built-in plugin ${name}`)
  return folder
}

/** The name of the built-in plugin that a file belongs to, by its path from the top level. */
export function findPlugin(file: string): string | undefined {
  const parts = file.split('/')
  return parts.map((_, at) => pluginsByFolder.get(parts.slice(0, at).join('/'))).find((name) => name !== undefined)
}

/** Folders with a `plugin.json` or an `index.ts`; any other folder is a wing, which holds plugins or wings. */
function findPlugins(dir: string): (readonly [name: string, folder: string])[] {
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = `${dir}/${entry.name}`
    if (!entry.isDirectory()) return []
    return ['plugin.json', 'index.ts'].some((file) => exists(`${path}/${file}`))
      ? [[entry.name, path] as const]
      : findPlugins(path)
  })
}

const pluginFolders: ReadonlyMap<string, string> = new Map(findPlugins('plugins'))
const pluginsByFolder: ReadonlyMap<string, string> = new Map([...pluginFolders].map(([name, folder]) => [folder, name]))

/** What a plugin's `plugin.json` says; `undefined` when there is none. */
export function findManifest(name: string): Manifest | undefined {
  const path = `${pluginFolder(name)}/plugin.json`
  return exists(path) ? (JSON.parse(read(path)) as Manifest) : undefined
}

/** Manifests of all built-in plugins that have one. */
export function manifests(): Manifest[] {
  return pluginNames().flatMap((name) => findManifest(name) ?? [])
}

/** `package.json`. */
export const packageJson = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  /** Packages of `devDependencies` that the build puts into the program, so that no one installs them. */
  readonly insideDist: readonly string[]
  readonly devDependencies: Readonly<Record<string, string>>
}
