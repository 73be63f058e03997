/** How databases get into a backup of the home: each as of one moment, while others write. */
import type { BackupRule, PinnedFile } from 'svc/sdk/operations'
import { refuseDamage } from './damage.ts'
import { getUsedMarkFile } from './database-generation.ts'
import { connect, openReadOnly } from './driver.ts'

/** Copied at once, before others run. */
const PAGES_AT_ONCE = 2000

/**
 * What SQLite and this plugin keep next to a database. The log is part of the copy, older copies are not wanted, and the mark of the last
 * use would make the copy look older than it is.
 */
const companionsRule: BackupRule = {
  name: 'database-companions',
  title: 'Logs and older copies of databases',
  order: 10,
  isExcluded: true,
  covers: (path) =>
    /\.db(?:-wal|-shm|-journal|\.backup|\.backup-previous|\.backup-part-.*|\.restoring-.*|\.repairing|\.damaged)$/.test(
      path,
    ) || path.endsWith(getUsedMarkFile('.db')),
}

const databasesRule: BackupRule = {
  name: 'databases',
  title: 'Databases',
  order: 20,
  covers: (path) => path.endsWith('.db'),
  pin: async (file) => pinDatabase(file),
}

export const backupRules: readonly BackupRule[] = [companionsRule, databasesRule]

/** A read transaction keeps its state until it ends. Throws the library's errors, as for a file that is no database. */
function pinDatabase(file: string): PinnedFile {
  const connection = openReadOnly(file)
  try {
    connection.exec('BEGIN')
    connection.prepare('SELECT 1 FROM sqlite_master').get()
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    async copyTo(path) {
      await connection.backup(path, { progress: () => PAGES_AT_ONCE })
      const copy = connect(path)
      try {
        refuseDamage(copy)
        return { schema: copy.pragma('user_version', { simple: true }) as number }
      } finally {
        copy.close()
      }
    },
    [Symbol.dispose]: () => void connection.close(),
  }
}
