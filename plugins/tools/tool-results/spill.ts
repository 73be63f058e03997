/** The files that long results are kept in: for this user only, by session, bounded in number, size and age. */
import { chmod, mkdir, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Bounds of all files together. */
export interface Keep {
  readonly ms: number
  readonly bytes: number
}

/** A result that is to be kept. */
export interface Spill {
  readonly folder: string
  readonly sessionId: string
  /** Without folders. */
  readonly name: string
  readonly text: string
}

const MAX_FILES = 2000

/** Writes the file after making room for it. Returns its path; rejects with what the system said, and nothing is left. */
export async function writeSpill({ folder, sessionId, name, text }: Spill, keep: Keep, now: number): Promise<string> {
  const bytes = Buffer.byteLength(text)
  await prune(folder, { ms: keep.ms, bytes: Math.max(0, keep.bytes - bytes) }, now)
  const place = join(folder, plainName(sessionId))
  await mkdir(place, { recursive: true, mode: 0o700 })
  await chmod(place, 0o700)
  const path = join(place, plainName(name))
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' })
    return path
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** Removes what is too old, then the oldest until the rest fits. */
export async function prune(folder: string, keep: Keep, now: number): Promise<void> {
  const files = (await filesBelow(folder)).sort((a, b) => b.at - a.at)
  let sum = 0
  for (const [place, { path, at, bytes }] of files.entries()) {
    sum += bytes
    if (now - at > keep.ms || sum > keep.bytes || place >= MAX_FILES) await rm(path, { force: true })
  }
  for (const session of await listNames(folder)) {
    // Folders that are not empty stay.
    await rmdir(join(folder, session)).catch(() => undefined)
  }
}

/** The sessions of which results are kept, by the names of their folders. */
export async function listSpilled(folder: string): Promise<readonly string[]> {
  return listNames(folder)
}

export async function removeSpilled(folder: string, sessions: readonly string[]): Promise<void> {
  for (const session of sessions) await rm(join(folder, plainName(session)), { recursive: true, force: true })
}

interface SpilledFile {
  readonly path: string
  readonly at: number
  readonly bytes: number
}

async function filesBelow(folder: string): Promise<SpilledFile[]> {
  const kept: SpilledFile[] = []
  for (const session of await listNames(folder)) {
    for (const name of await listNames(join(folder, session))) {
      const path = join(folder, session, name)
      // Another process may have removed it meanwhile.
      const stats = await stat(path).catch(() => undefined)
      if (stats?.isFile()) kept.push({ path, at: stats.mtimeMs, bytes: stats.size })
    }
  }
  return kept
}

async function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
}

function plainName(text: string): string {
  return (
    text
      .replace(/[^\w.-]/g, '_')
      .replace(/^\.+|\.{2,}/g, '_')
      .slice(0, 120) || '_'
  )
}
