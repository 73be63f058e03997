/** Folders of skills: their content as one hash, and exact copies. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Made by an interpreter or a file manager: no edit of a person. */
const INCIDENTAL = new Set(['__pycache__', '.DS_Store'])
/** A folder with more is no copy of ours. */
const MAX_FILES = 1000
const MAX_BYTES = 16 * 1024 * 1024

/** 64 hexadecimal digits over the paths and contents of all files; undefined when there is no folder of this path. */
export function hashFolder(folder: string): string | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (!stats.isDirectory()) return 'not-a-folder'
  const files = new Map<string, Entry>()
  let bytes = 0
  for (const path of listEntries(folder)) {
    bytes += lstatSync(join(folder, path)).size
    if (files.size >= MAX_FILES || bytes > MAX_BYTES) return 'too-large'
    files.set(path, readEntry(join(folder, path)))
  }
  return hashEntries(files)
}

/**
 * Copies the regular files of a folder whose hash is `hash`. Throws for a folder with another hash, which includes one with links.
 * `flush`: the copy survives a power cut.
 */
export function copyFolder(from: string, to: string, { hash, flush }: { hash: string; flush: boolean }): void {
  const files = new Map(listEntries(from).map((path) => [path, readEntry(join(from, path))]))
  if (hashEntries(files) !== hash) throw new Error(`${from} is not what the list says`)
  const folders = new Set([to, ...[...files.keys()].map((path) => dirname(join(to, path)))])
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  for (const [path, { content }] of files) writeFileSync(join(to, path), content, { flag: 'wx', mode: 0o644, flush })
}

interface Entry {
  /** A link has the hash of no file, so a copy that holds one counts as changed. */
  readonly kind: 'file' | 'other'
  readonly content: Uint8Array
}

function hashEntries(files: ReadonlyMap<string, Entry>): string {
  const hash = createHash('sha256')
  for (const [path, { kind, content }] of files) hash.update(`${kind}\0${path}\0${content.length}\0`).update(content)
  return hash.digest('hex')
}

function readEntry(file: string): Entry {
  const stats = lstatSync(file)
  if (stats.isFile()) return { kind: 'file', content: readFileSync(file) }
  return { kind: 'other', content: Buffer.from(stats.isSymbolicLink() ? readlinkSync(file) : '') }
}

/** Paths of everything that is no folder, with slashes, sorted by code units. Links are not followed. */
export function listEntries(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .filter(({ name }) => !INCIDENTAL.has(name))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      return entry.isDirectory() ? listEntries(folder, path) : [path]
    })
    .sort((one, two) => (one < two ? -1 : 1))
}
