/** Tells of writes to a SQLite file by any process, where the system does so reliably. */
import { type FSWatcher, watch } from 'node:fs'

/**
 * Watches the log of the file, into which each commit is written and which is there while the file is open. Undefined where that
 * cannot be watched; `lost` is called when it can no longer be.
 */
export function watchWrites(file: string, written: () => void, lost: () => void): (() => void) | undefined {
  if (process.platform !== 'linux') return undefined
  let watcher: FSWatcher
  try {
    watcher = watch(`${file}-wal`, { persistent: false })
  } catch {
    // It has no log, or the system watches no more files.
    return undefined
  }
  watcher.on('error', lost)
  watcher.on('change', (event) => {
    written()
    // The log was removed or replaced.
    if (event === 'rename') lost()
  })
  return () => watcher.close()
}
