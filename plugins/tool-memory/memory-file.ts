/** The files `MEMORY.md` and `USER.md`. People edit them, too. */
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { formatEntries, parseEntries } from './entries.ts'
import type { MemoryHost, Target } from './tools.ts'

const NAMES: Readonly<Record<Target, string>> = { memory: 'MEMORY.md', user: 'USER.md' }
const MOST_BYTES = 1024 * 1024

export function memoryFile(host: Pick<MemoryHost, 'folder'>, target: Target): string {
  return join(host.folder(), NAMES[target])
}

/** The text of a file, empty when there is none. Throws `MEMORY_UNREADABLE`. */
export function readMemory(file: string): string {
  try {
    // Most folders have none, and an error takes longer than a look.
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats) return ''
    if (stats.isFile() && stats.size <= MOST_BYTES) {
      const text = readFileSync(file, 'utf8')
      if (!text.includes('\0') && !text.includes('\uFFFD')) return text
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
  throw new SvcError('MEMORY_UNREADABLE', `${file} is no text file of at most 1 MiB. Tell the user to look at it.`)
}

/**
 * Changes the entries of a file while no other process does: `work` gets them and returns the new ones, or throws. Readers see
 * the old file or the new one. A file that somebody edited by hand is copied to `.bak` before it is written in order.
 */
export function changeEntries(
  host: MemoryHost,
  target: Target,
  work: (old: readonly string[]) => readonly string[],
): readonly string[] {
  const lock = host.storage().open({ file: host.lockFile, migrations: [] })
  try {
    return lock.transaction(() => {
      const file = memoryFile(host, target)
      const text = readMemory(file)
      const old = parseEntries(text)
      const entries = work(old)
      if (formatEntries(entries) === formatEntries(old)) return entries
      if (text !== formatEntries(old)) copyFileSync(file, `${file}.bak`)
      replaceFile(file, formatEntries(entries), host)
      return entries
    })
  } finally {
    void lock.close()
  }
}

function replaceFile(file: string, text: string, host: MemoryHost): void {
  mkdirSync(host.folder(), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${host.random().hex(4)}.tmp`
  try {
    const descriptor = openSync(temporary, 'wx', 0o600)
    try {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, file)
    flushFolder(dirname(file))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Lets the rename itself survive a power cut, where the system can flush folders. */
function flushFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The new file is in place; only its surviving a power cut stays open, as on Windows.
  }
}
