/** What a consent covers: every file of a plugin's folder, whatever its name, and the packages that it declares. */
import { createHash, hash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SvcError } from '../sdk/errors.ts'

/** Packages of the program itself are as trusted as it is. */
const above: string = fileURLToPath(new URL('..', import.meta.url))
const ownPackages: string = join(basename(above) === 'dist' ? dirname(above) : above, 'node_modules')

const MAX_FILES = 10_000
const MAX_BYTES = 100 * 2 ** 20
const buffer: Buffer = Buffer.allocUnsafe(64 * 1024)

/** Files by their path from the plugin's folder, with the SHA-256 of each, and one hash over all. */
export interface Content {
  readonly hash: string
  readonly files: ReadonlyMap<string, string>
}

/** `settings` are what a project gives its plugin; they count like a file. Throws `CONSENT_CONTENT`. */
export function readContent(dir: string, settings?: unknown): Content {
  const folder = new Folder(realpathSync.native(dir))
  folder.addAll()
  if (settings !== undefined) folder.files.set('(settings)', sha256(JSON.stringify(settings)))
  const lines = [...folder.files].map(([path, hash]) => `${path}\0${hash}\n`).sort()
  return { hash: sha256(lines.join('')), files: folder.files }
}

class Folder {
  readonly files: Map<string, string> = new Map()
  #root: string
  #bytes = 0

  constructor(root: string) {
    this.#root = root
  }

  addAll(): void {
    this.#add(this.#root, '', true)
    this.#addPackages(this.#root, new Set([this.#root]))
  }

  /** `label` is put before the path of a file below the folder. */
  #add(dir: string, label: string, isRoot: boolean): void {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = `${dir}${sep}${entry.name}`
      const name = `${label}${entry.name}`
      if (entry.isDirectory()) {
        if (isRoot || entry.name !== 'node_modules') this.#add(path, `${name}/`, isRoot)
      } else if (entry.isSymbolicLink()) this.#note(name, sha256(`link ${this.#checkedLink(path)}`))
      else if (entry.isFile()) this.#note(name, this.#hashFile(path))
      else throw this.#refused(`${path} is neither a file nor a folder`)
    }
  }

  /** Most files fit into the buffer, and reading them costs less than making what a stream or a stat would. */
  #hashFile(path: string): string {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const size = this.#read(file)
      if (size < buffer.length) return hash('sha256', buffer.subarray(0, size))
      const all = createHash('sha256').update(buffer)
      for (let more = this.#read(file); more > 0; more = this.#read(file)) all.update(buffer.subarray(0, more))
      return all.digest('hex')
    } finally {
      closeSync(file)
    }
  }

  #read(file: number): number {
    const size = readSync(file, buffer)
    this.#bytes += size
    if (this.#bytes > MAX_BYTES) throw this.#refused(`it is over ${MAX_BYTES / 2 ** 20} MiB`)
    return size
  }

  /** Its target is named; what it leads to must be covered on its own. Packages are, when they are declared. */
  #checkedLink(path: string): string {
    const target = readlinkSync(path)
    const isPackage = relative(this.#root, path).split(sep).includes('node_modules')
    if (isPackage || (existsSync(path) && isInside(this.#root, realpathSync(path)))) return target
    throw this.#refused(`${path} is a link that leads out of it, to ${target}`)
  }

  #note(name: string, fileHash: string): void {
    if (this.files.size >= MAX_FILES) throw this.#refused(`it has over ${MAX_FILES} files`)
    this.files.set(name, fileHash)
  }

  /** As Node finds them from the importing file: upwards, also above the plugin's folder. `svc` is the running one. */
  #addPackages(dir: string, seen: Set<string>): void {
    for (const name of readDeclaredFiles(dir)) {
      const found = packageFrom(dir, name)
      if (!found || seen.has(found) || isInside(ownPackages, found)) continue
      seen.add(found)
      // By name and order, not by place: a plugin that is moved, as an installation does, still has the same content.
      const label = `(package ${seen.size - 1}: ${name})`
      if (!isInside(this.#root, found)) this.#add(found, `${label} `, false)
      this.#addPackages(found, seen)
    }
  }

  #refused(why: string): SvcError {
    return new SvcError('CONSENT_CONTENT', `The folder ${this.#root} cannot be covered by a consent: ${why}.`)
  }
}

function readDeclaredFiles(dir: string): string[] {
  const file = join(dir, 'package.json')
  if (!existsSync(file)) return []
  const lists = (readJson(file) ?? {}) as Record<string, object | undefined>
  const names = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) =>
    Object.keys(lists[key] ?? {}),
  )
  return names.filter((name) => name !== 'svc')
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // The file itself is covered; what it does not declare readably is not found by npm either.
    return undefined
  }
}

function packageFrom(dir: string, name: string): string | undefined {
  const place = join(dir, 'node_modules', name)
  if (existsSync(place)) return realpathSync(place)
  return dirname(dir) === dir ? undefined : packageFrom(dirname(dir), name)
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root + sep)
}

function sha256(text: string): string {
  return hash('sha256', text)
}
