/** Folders that are held open while files in them change: what takes their place in the path is not touched. */
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileError } from './file-error.ts'
import { findRealPath, movedAway } from './opened.ts'

/** As the file system has it: what is longer could not be named again. */
const MAX_PATH_BYTES = 4096
const FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** A folder. Names in it are reached through `at`, never through its path. */
export interface OpenFolder {
  /** Where it was when it was opened. */
  readonly path: string
  /** How a call of the system reaches a name in it. */
  at(name: string): string
  /** Throws `FILE_CHANGED` when `at` could lead elsewhere by now; on Linux it cannot. */
  check(): Promise<void>
}

/** The folders of one change. Each is opened once, and all are closed together. */
export class OpenFolders {
  readonly #open = new Map<string, Promise<OpenFolder>>()
  readonly #handles: FileHandle[] = []

  /** The folder with this real path; `made` gets how to remove each that had to be made. Throws a `FILE_...` error. */
  async get(path: string, made: (undo: () => Promise<unknown>) => void): Promise<OpenFolder> {
    // Relative to a descriptor every path is short: without this, thousands of folders would be made and held open.
    if (Buffer.byteLength(path) > MAX_PATH_BYTES)
      throw fileError(Object.assign(new Error(path), { code: 'ENAMETOOLONG' }), path)
    const folder = this.#open.get(path) ?? this.#openOrMake(path, made)
    this.#open.set(path, folder)
    return folder
  }

  /** The folder with this real path, which must exist. Throws a `FILE_...` error. */
  async getExisting(path: string): Promise<OpenFolder> {
    return this.#existing(path, path).catch(async (error: unknown) => {
      throw await explainRefusal(error, path)
    })
  }

  /** Lets new names survive a power cut, where the system can flush folders. */
  async flush(): Promise<void> {
    await Promise.all(this.#handles.map((handle) => handle.sync().catch(() => undefined)))
  }

  async close(): Promise<void> {
    await Promise.all(this.#handles.splice(0).map((handle) => handle.close()))
  }

  async #openOrMake(path: string, made: (undo: () => Promise<unknown>) => void): Promise<OpenFolder> {
    try {
      return await this.#existing(path, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path)
        throw await explainRefusal(error, path)
    }
    const parent = await this.get(dirname(path), made)
    const way = parent.at(basename(path))
    await parent.check()
    const isNew = await mkdir(way).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false
        throw fileError(error, path)
      },
    )
    // It stays if another program has put something into it.
    if (isNew) made(() => rmdir(way).catch(() => undefined))
    return this.#existing(way, path).catch(async (error: unknown) => {
      throw await explainRefusal(error, path)
    })
  }

  async #existing(way: string, path: string): Promise<OpenFolder> {
    if (process.platform === 'win32') return unheld(path, await folderStats(path))
    const handle = await open(way, FLAGS)
    this.#handles.push(handle)
    const stats = await handle.stat({ bigint: true })
    if (comparable(await findRealPath(handle, path, stats)) !== comparable(path)) throw movedAway(path)
    if (process.platform !== 'linux') return unheld(path, stats)
    return { path, at: (name) => `/proc/self/fd/${handle.fd}/${name}`, check: async () => undefined }
  }
}

/** Where descriptors are no paths: the folder must be the same one before each step. */
function unheld(path: string, before: BigIntStats): OpenFolder {
  return {
    path,
    at: (name) => join(path, name),
    async check() {
      const now = await folderStats(path)
      if (now.dev !== before.dev || now.ino !== before.ino) throw movedAway(path)
    },
  }
}

async function folderStats(path: string): Promise<BigIntStats> {
  const stats = await lstat(path, { bigint: true })
  if (stats.isSymbolicLink()) throw movedAway(path)
  if (!stats.isDirectory()) throw fileError(Object.assign(new Error(path), { code: 'ENOTDIR' }), path)
  return stats
}

/** A link where a folder was says so; every other failure says what it is. */
async function explainRefusal(error: unknown, path: string): Promise<Error> {
  const stats = await lstat(path).catch(() => undefined)
  return stats?.isSymbolicLink() ? movedAway(path) : fileError(error, path)
}

/** Some file systems give names back in another case or composition than they were asked for. */
function comparable(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
