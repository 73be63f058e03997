/** The files `MEMORY.md` and `USER.md`. People edit them, too. */
import { copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import { formatEntries, parseEntries } from './entries.ts'
import type { MemoryDeps, Target } from './tools.ts'

const NAMES: Readonly<Record<Target, string>> = { memory: 'MEMORY.md', user: 'USER.md' }
const MAX_BYTES = 1024 * 1024

export function memoryFile(deps: Pick<MemoryDeps, 'folder'>, target: Target): string {
  return join(deps.folder(), NAMES[target])
}

/** The text of a file, empty if it does not exist. Throws `MEMORY_UNREADABLE`. */
export function readMemory(file: string): string {
  try {
    // Most folders have none, and an error takes longer than a look.
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats) return ''
    if (stats.isFile() && stats.size <= MAX_BYTES) {
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
 * the old file or the new one. A file that was edited by hand is copied to `.bak` before it is written in order.
 */
export function changeEntries(
  deps: MemoryDeps,
  target: Target,
  work: (old: readonly string[]) => readonly string[],
): readonly string[] {
  const lock = deps.storage().open({ file: deps.lockFile, migrations: [] })
  try {
    return lock.transaction(() => {
      const file = memoryFile(deps, target)
      const text = readMemory(file)
      const old = parseEntries(text)
      const entries = work(old)
      if (formatEntries(entries) === formatEntries(old)) return entries
      if (text !== formatEntries(old)) copyFileSync(file, `${file}.bak`)
      mkdirSync(deps.folder(), { recursive: true, mode: 0o700 })
      writeAtomicallySync(file, formatEntries(entries), { isLocked: true })
      return entries
    })
  } finally {
    void lock.close()
  }
}
