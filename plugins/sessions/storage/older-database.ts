/** What a person decides about a database that is older than it was: to continue with its newer backup, or with the file. */
import { existsSync, renameSync, statSync } from 'node:fs'
import { SvcError } from 'svc/sdk'
import {
  getGeneration,
  knownGeneration,
  listBackupFiles,
  readGenerationOfClosed,
  setGeneration,
} from './database-generation.ts'
import { connect, openReadOnly } from './driver.ts'
import { LARGE_LOG_BYTES } from './log-size.ts'
import { alone, copyBackup, datedName, type RescueDeps, replaceFile } from './restore-backup.ts'

export interface OlderDatabase {
  readonly file: string
  /** A backup of a later generation. */
  readonly newer: string | undefined
}

/** Undefined for a file that is as new as all that is known of it. */
export function findOlder(file: string): OlderDatabase | undefined {
  if (!existsSync(file)) return undefined
  // In this order, as in `refuseOlder`.
  const known = knownGeneration(file)
  const own = readGeneration(file)
  if (own >= known) return undefined
  return { file, newer: newerThan(file, own) }
}

/** Puts the newest newer backup in the place of the file, which is kept aside; where it is now. Throws `STORAGE_NOT_OLDER`. */
export function restoreNewer(file: string, deps: RescueDeps): { readonly kept: string; readonly backup: string } {
  return alone(file, () => {
    const { newer } = refuseUnlessOlder(file)
    const own = readGeneration(file)
    if (newer === undefined)
      throw new SvcError(
        'STORAGE_NO_NEWER_BACKUP',
        `No backup beside ${file} is newer. Put a newer copy in its place, or accept the file: svc storage accept "${file}"`,
      )
    const rescue = { ...deps, file }
    const fresh = `${file}.restoring-${deps.random.hex(4)}`
    const taken = copyBackup(rescue, fresh, (connection) => getGeneration(connection) > own)
    if (!taken)
      throw new SvcError(
        'STORAGE_NO_NEWER_BACKUP',
        `The newer backup of ${file} cannot be used; the log says why. Nothing was changed.`,
      )
    const kept = datedName(rescue, 'older')
    replaceFile(file, { fresh, kept })
    return { kept, backup: taken }
  })
}

/** Continues with the file as it is. Newer backups are kept under other names; these. Throws `STORAGE_NOT_OLDER`. */
export function acceptOlder(file: string, deps: RescueDeps): readonly string[] {
  return alone(file, () => {
    refuseUnlessOlder(file)
    const [own, known] = [readGeneration(file), knownGeneration(file)]
    const moved = listBackupFiles(file)
      .filter((backup) => readGenerationOfClosed(backup) > own)
      .map((backup) => {
        const kept = datedName({ ...deps, file: backup }, 'newer')
        renameSync(backup, kept)
        return kept
      })
    const connection = connect(file)
    try {
      setGeneration(connection, known + 1)
    } finally {
      connection.close()
    }
    return moved
  })
}

function refuseUnlessOlder(file: string): OlderDatabase {
  const older = findOlder(file)
  if (older) return older
  throw new SvcError(
    'STORAGE_NOT_OLDER',
    `${file} is not a database of svc that is older than when it was last used. Nothing was changed.`,
  )
}

function newerThan(file: string, own: number): string | undefined {
  return listBackupFiles(file).find((backup) => readGenerationOfClosed(backup) > own)
}

/** Through SQLite, because its newest pages may be in the log. A log that is not large is written back, so that copies need no log. */
function readGeneration(file: string): number {
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const connection = logBytes > LARGE_LOG_BYTES ? openReadOnly(file) : connect(file)
  try {
    return getGeneration(connection)
  } finally {
    connection.close()
  }
}
