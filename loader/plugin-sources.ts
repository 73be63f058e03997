/** The files of a plugin folder that its bundle is made of, and the name that they give it. */
import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SvcError } from '../sdk/errors.ts'
import { SDK_VERSION } from './manifest.ts'

const MAX_FILES = 2000
const sources = /\.(ts|mts|js|mjs|cjs|json)$/
/** `svc/sdk` of a foreign plugin is the one of this installation. */
const sdkRoot: string = fileURLToPath(new URL('../sdk/', import.meta.url))

/** The name of the bundle of a folder whose sources have these hashes. */
export function nameBundle(dir: string, hashes: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256').update(`${SDK_VERSION}\0${sdkRoot}`)
  for (const file of [...hashes.keys()].filter(isSource).sort()) hash.update(`\0${file}\0${hashes.get(file)}`)
  return `${basename(dir)}-${hash.digest('hex').slice(0, 16)}`
}

/** SHA-256 of the sources of a folder, by their paths in it. */
export function hashSources(dir: string): Map<string, string> {
  const hashed = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(dir, file)))
      .digest('hex')
  return new Map(listSources(dir).map((file) => [file.split(sep).join('/'), hashed(file)]))
}

/**
 * Paths from the folder, sorted. Packages are not walked: they are many, and often a link to those of a whole project. Throws
 * `PLUGIN_MANIFEST` if there are too many.
 */
export function listSources(dir: string): string[] {
  const files: string[] = []
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(dir, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.name === 'node_modules') continue
      if (isFolder(entry, join(dir, path))) visit(path)
      else if (isSource(path)) files.push(path)
      if (files.length > MAX_FILES) throw new SvcError('PLUGIN_MANIFEST', `${dir} has over ${MAX_FILES} source files.`)
    }
  }
  visit('')
  return files.sort()
}

function isSource(file: string): boolean {
  return sources.test(file) && !/(^|[\\/])(node_modules|\.[^\\/]+)[\\/]/.test(file)
}

/** A link to a folder counts, unless it leads to a folder in which it lies. */
function isFolder(entry: Dirent, path: string): boolean {
  if (entry.name.startsWith('.')) return false
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false
  return !`${realpathSync(dirname(path))}${sep}`.startsWith(`${realpathSync(path)}${sep}`)
}
