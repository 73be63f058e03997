/** Reads catalogues: folders with an entry in each of their folders. Nothing in an entry is run or followed. */
import { constants, existsSync, type Stats } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorMessage } from 'svc/sdk'
import { type CatalogDiagnostic, type CatalogManifest, invalid, readManifest } from './manifest.ts'

const MAX_MANIFEST = 64 * 1024
const MAX_ICON = 256 * 1024
const ICON = /\.(svg|png|webp|ico)$/i

/** All entries that can be used, by name, and why others cannot. */
export interface Catalog {
  readonly entries: readonly CatalogManifest[]
  readonly diagnostics: readonly CatalogDiagnostic[]
}

/** The folder `optional-mcps` of this installation. */
export function findCatalogFolder(from: string = dirname(fileURLToPath(import.meta.url))): string {
  for (let dir = from; ; dir = dirname(dir)) {
    const folder = join(dir, 'optional-mcps')
    if (existsSync(folder) || dirname(dir) === dir) return folder
  }
}

/** Reads folders of entries; of entries with one name the first folder has the say. A folder that is missing is empty. */
export async function readCatalogs(folders: readonly string[]): Promise<Catalog> {
  const entries = new Map<string, CatalogManifest>()
  const diagnostics: CatalogDiagnostic[] = []
  for (const folder of folders) {
    for (const name of await listEntries(folder)) {
      const read = await readEntry(join(folder, name), name)
      if ('kind' in read) diagnostics.push(read)
      else if (entries.has(name)) diagnostics.push(invalid(name, `another catalogue has an entry of this name already`))
      else entries.set(name, read)
    }
  }
  return { entries: [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), diagnostics }
}

/** Everything but files: a link is reported as what it is. */
async function listEntries(folder: string): Promise<string[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return found.flatMap((entry) => (entry.isFile() || entry.name.startsWith('.') ? [] : [entry.name])).sort()
}

async function readEntry(dir: string, name: string): Promise<CatalogManifest | CatalogDiagnostic> {
  try {
    if ((await lstat(dir)).isSymbolicLink()) return invalid(name, 'its folder is a symbolic link')
    const file = 'manifest.yaml'
    const problem = explainFile(file, await look(join(dir, file)), MAX_MANIFEST)
    if (problem !== undefined) return invalid(name, problem)
    const read = readManifest(name, await parse(await readText(join(dir, file))))
    if ('kind' in read || read.icon === undefined) return read
    if (!ICON.test(read.icon)) return invalid(name, `icon: ${read.icon} is not a picture (.svg, .png, .webp or .ico)`)
    const iconProblem = explainFile(read.icon, await look(join(dir, read.icon)), MAX_ICON)
    return iconProblem === undefined ? read : invalid(name, `icon: ${iconProblem}`)
  } catch (error) {
    return invalid(name, errorMessage(error).replace(/\.?\s*$/, ''))
  }
}

async function look(file: string): Promise<Stats | undefined> {
  return lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

function explainFile(name: string, stats: Stats | undefined, max: number): string | undefined {
  if (!stats) return `${name} is missing`
  if (stats.isSymbolicLink()) return `${name} is a symbolic link`
  if (!stats.isFile()) return `${name} is not a file`
  if (stats.size > max) return `${name} has ${stats.size} bytes, and ${max} are allowed`
  return undefined
}

/** Of a file, also one that was replaced by a link since it was looked at, no more than is allowed. */
async function readText(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_MANIFEST), 0, MAX_MANIFEST)
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

async function parse(text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text, { prettyErrors: true })
  const [error] = document.errors
  if (error) throw new Error(`manifest.yaml is not YAML: ${error.message.split('\n')[0]?.replace(/:$/, '')}`)
  return document.toJS({ maxAliasCount: 100 })
}
