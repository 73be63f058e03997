/** From a path to a sound, migrated connection. */
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { errorMessage, SvcError } from 'svc/sdk'
import type { ServiceCaller } from 'svc/sdk/host'
import type { DatabaseOptions } from 'svc/sdk/storage'
import { clearDamageMark, isMarkedDamaged, refuseDamage } from './damage.ts'
import { beginGeneration, refuseOlder } from './database-generation.ts'
import { type Connection, connect } from './driver.ts'
import { settleAll } from './group-commit.ts'
import { migrate, refuseNewer } from './migrate.ts'
import { markUsed, type Rescue, replaceDamaged, restoreMissing, waitForRescue } from './restore-backup.ts'
import { explain, isDamage } from './storage-errors.ts'

/** The write-ahead log is cut back to this after a large transaction. */
const logLimitBytes = 16 * 1024 * 1024
/**
 * Pages in the log, of 4 KiB, at which it is written into the database. That waits for the disk, so it is done less often
 * than SQLite would; most pages are in the log many times by then, and are written once.
 */
const logPages = 4000
const WAL_TRIES = 250
const WAL_PAUSE_MS = 20

/** Opens a database and brings it up to date; a damaged one is replaced first. Throws only errors for people. */
export function openSound(
  { file, migrations }: DatabaseOptions,
  ports: Pick<Rescue, 'clock' | 'random' | 'log'>,
  owner?: ServiceCaller,
): Connection {
  if (!isAbsolute(file)) {
    throw new SvcError('STORAGE_FILE_INVALID', `The database path "${file}" is not absolute: join it to ctx.dataDir.`)
  }
  try {
    waitForRescue(file)
    restoreMissing({ ...ports, file, schema: migrations.length })
    makeFile(file)
    const connection = openOrReplace(
      { ...ports, file, inode: statSync(file).ino, schema: migrations.length },
      migrations,
      owner,
    )
    markUsed(file)
    return connection
  } catch (error) {
    throw explain(file, error)
  }
}

function openOrReplace(rescue: Rescue, migrations: readonly string[], owner: ServiceCaller | undefined): Connection {
  try {
    return openOnce(rescue.file, migrations, owner)
  } catch (error) {
    if (!isDamage(error)) throw error
    replaceDamaged(rescue, errorMessage(error))
    return openOnce(rescue.file, migrations, owner)
  }
}

/**
 * An existing database is never opened here: closing a second descriptor of it would take away
 * the locks that SQLite holds in this process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
function makeFile(file: string): void {
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
}

/** Two processes that do this to a new file at once: SQLite says that it is busy without waiting for the other one. */
function keepWriteAheadLog(connection: Connection): void {
  for (let tries = 1; ; tries++) {
    try {
      // Only an empty file can still become one that gives pages back a few at a time.
      if (connection.pragma('page_count', { simple: true }) === 0) connection.pragma('auto_vacuum = INCREMENTAL')
      connection.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || tries >= WAL_TRIES) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_PAUSE_MS)
    }
  }
}

function openOnce(file: string, migrations: readonly string[], owner: ServiceCaller | undefined): Connection {
  // Another process may be making its tables.
  settleAll()
  const connection = connect(file)
  try {
    refuseNewer(connection, migrations, owner)
    const isNew = connection.pragma('page_count', { simple: true }) === 0
    if (!isNew) refuseOlder(connection)
    // Reads the schema, which is where most damage shows.
    connection.prepare('SELECT 1 FROM sqlite_master').get()
    if (isMarkedDamaged(file)) {
      refuseDamage(connection)
      clearDamageMark(file)
    }
    keepWriteAheadLog(connection)
    // A new file can take the place of one that was lost. Set before its tables, or another process would refuse it as older.
    if (isNew) beginGeneration(connection)
    connection.pragma('synchronous = NORMAL')
    // On macOS a plain fsync leaves data in the drive's cache; elsewhere this changes nothing.
    connection.pragma('fullfsync = ON')
    connection.pragma(`journal_size_limit = ${logLimitBytes}`)
    connection.pragma(`wal_autocheckpoint = ${logPages}`)
    // Off while tables are rebuilt; each step ends with a check of all references.
    connection.pragma('foreign_keys = OFF')
    migrate(connection, migrations, owner)
    connection.pragma('foreign_keys = ON')
    // SQLite opens a file without the right to write it, too, and says so only when it is to write.
    connection.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${migrations.length}; ROLLBACK`)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}
