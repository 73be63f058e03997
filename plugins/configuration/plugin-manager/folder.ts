/** A plugin folder on disk: whether it is safe to take, and taking a copy. */
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { SvcError } from 'svc/sdk'

const MAX_FILES = 2000
const MAX_BYTES = 50 * 2 ** 20
/** Never part of a plugin: packages are installed again, history is not copied. */
const leftBehind = ['node_modules', '.git']

interface Entry {
  /** Relative to the folder. */
  readonly path: string
  readonly kind: 'file' | 'link'
  /** Permission bits. */
  readonly mode: number
}

/**
 * The files of a plugin folder. Throws `PLUGIN_UNSAFE` for what must not be installed: links that lead out, files that
 * everybody may change, things that are neither file nor folder, and more than a plugin can sensibly hold.
 */
export function listPluginFiles(dir: string): Entry[] {
  const root = realpathSync(dir)
  const entries: Entry[] = []
  let bytes = 0
  const visit = (folder: string) => {
    refuseWritable(join(root, folder), lstatSync(join(root, folder)).mode)
    for (const name of readdirSync(join(root, folder))) {
      const path = join(folder, name)
      const stat = lstatSync(join(root, path))
      if (stat.isDirectory()) {
        if (!leftBehind.includes(name)) visit(path)
        continue
      }
      entries.push(createEntry(root, path, stat))
      bytes += stat.size
      if (entries.length > MAX_FILES) throw unsafe(`${dir} has over ${MAX_FILES} files.`)
      if (bytes > MAX_BYTES) throw unsafe(`${dir} is over ${MAX_BYTES / 2 ** 20} MiB.`)
    }
  }
  visit('')
  return entries
}

/** Copies a checked folder; only its owner may change the copy. Throws `PLUGIN_UNSAFE`. */
export function copyFolder(from: string, to: string): void {
  for (const { path, kind, mode } of listPluginFiles(from)) {
    const target = join(to, path)
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 })
    if (kind === 'link') symlinkSync(readlinkSync(join(from, path)), target)
    else {
      copyFileSync(join(from, path), target)
      chmodSync(target, mode & 0o755)
    }
  }
}

function createEntry(root: string, path: string, stat: ReturnType<typeof lstatSync> & object): Entry {
  const full = join(root, path)
  if (stat.isSymbolicLink()) return linkEntry(root, path)
  if (!stat.isFile()) throw unsafe(`${full} is neither a file nor a folder.`)
  refuseWritable(full, Number(stat.mode))
  return { path, kind: 'file', mode: Number(stat.mode) }
}

function linkEntry(root: string, path: string): Entry {
  const full = join(root, path)
  const target = readlinkSync(full)
  if (isAbsolute(target) || !leadsInside(root, full))
    throw unsafe(`${full} is a link that leads out of the folder, to ${target}.`)
  return { path, kind: 'link', mode: 0o755 }
}

function leadsInside(root: string, link: string): boolean {
  try {
    return realpathSync(link).startsWith(root + sep)
  } catch {
    // A link to nothing today may lead anywhere tomorrow.
    return false
  }
}

function refuseWritable(path: string, mode: number): void {
  if (process.platform === 'win32' || (mode & 0o002) === 0) return
  throw unsafe(`${path} can be changed by everybody; run: chmod -R o-w "${path}"`)
}

function unsafe(message: string): SvcError {
  return new SvcError('PLUGIN_UNSAFE', message, { status: 400 })
}
