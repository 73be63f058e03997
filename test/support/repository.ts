/** The repository as files: what the architecture tests and the docs generator look at. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Manifest } from 'svc/sdk'

/** The top level. */
export const root: string = resolve(import.meta.dirname, '../..')

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

/** TypeScript sources below some folders. */
export function sourcesBelow(...dirs: readonly string[]): string[] {
  return dirs.flatMap(filesBelow).filter((path) => path.endsWith('.ts'))
}

/** Folders of built-in plugins, sorted. One without a `plugin.json` is half written and counts too. */
export function pluginNames(): string[] {
  return readdirSync(join(root, 'plugins'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

/** What a plugin's `plugin.json` says; `undefined` when there is none. */
export function manifestOf(name: string): Manifest | undefined {
  const path = `plugins/${name}/plugin.json`
  return exists(path) ? (JSON.parse(read(path)) as Manifest) : undefined
}

/** Manifests of all built-in plugins that have one. */
export function manifests(): Manifest[] {
  return pluginNames().flatMap((name) => manifestOf(name) ?? [])
}

/** `package.json`. */
export const packageJson = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  /** Packages of `devDependencies` that the build puts into the program, so that nobody installs them. */
  readonly insideDist: readonly string[]
  readonly devDependencies: Readonly<Record<string, string>>
}
