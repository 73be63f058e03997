/**
 * Tells a database that is older than it was: restored from an old copy, or rolled back by a program that synchronises files. A
 * number in the head of the database (`application_id`, which SQLite leaves to programs) grows with each period of use, its
 * backups have it, too, and `<file>.used` beside it has the last one.
 */
import { closeSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { type Random, SvcError } from 'svc/sdk'
import type { Connection } from './driver.ts'

/** Source: https://www.sqlite.org/fileformat.html, section 1.3. */
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1')
const APPLICATION_ID_AT = 68
const HEAD_BYTES = 100
/** Anything else in the mark is damage, or of an earlier version. */
const RECORD = /^\d{1,10}\n$/

/** The rolling backup of a file. */
export const getBackupFile = (file: string): string => `${file}.backup`

/** The backup before that. */
export const getPreviousBackupFile = (file: string): string => `${getBackupFile(file)}-previous`

export const listBackupFiles = (file: string): readonly string[] => [getBackupFile(file), getPreviousBackupFile(file)]

/** Tells that a file was in use, and up to which generation. Empty in homes of earlier versions. */
export const getUsedMarkFile = (file: string): string => `${file}.used`

export function getGeneration(connection: Connection): number {
  return connection.pragma('application_id', { simple: true }) as number
}

export function setGeneration(connection: Connection, generation: number): void {
  connection.pragma(`application_id = ${generation}`)
}

/**
 * Starts the count of a new file behind what is known of a lost one in its place. Another process that created the file at the same
 * time may have written to it already; its count stays.
 */
export function beginGeneration(connection: Connection): void {
  connection.exec('BEGIN IMMEDIATE')
  try {
    if (getGeneration(connection) === 0) setGeneration(connection, knownGeneration(connection.name) + 1)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** Of a file that is not open, such as a backup; 0 when it is missing or no database. */
export function readGenerationOfClosed(file: string): number {
  const head = Buffer.alloc(HEAD_BYTES)
  try {
    const open = openSync(file, 'r')
    try {
      readSync(open, head, 0, HEAD_BYTES, 0)
    } finally {
      closeSync(open)
    }
  } catch {
    return 0
  }
  return head.subarray(0, MAGIC.length).equals(MAGIC) ? Math.max(0, head.readInt32BE(APPLICATION_ID_AT)) : 0
}

/** The newest generation that is known beside a file. */
export function knownGeneration(file: string): number {
  return Math.max(readRecordedGeneration(file), ...listBackupFiles(file).map(readGenerationOfClosed))
}

/** Keeps beside the file how far it came. Called when that is on the disk, or a power cut would make the file look older. */
export function recordGeneration(file: string, generation: number, random: Random): void {
  if (readRecordedGeneration(file) >= generation) return
  const part = `${getUsedMarkFile(file)}-${random.hex(4)}`
  writeFileSync(part, `${generation}\n`, { mode: 0o600 })
  renameSync(part, getUsedMarkFile(file))
}

/** Throws `STORAGE_OLDER` if a file beside it has a later generation. */
export function refuseOlder(connection: Connection): void {
  const { name: file } = connection
  // In this order: another process that uses the file commits its generation first and records it then.
  const known = knownGeneration(file)
  const own = getGeneration(connection)
  if (own >= known) return
  const newer = listBackupFiles(file).find((backup) => readGenerationOfClosed(backup) > own)
  const found = `The database ${file} is older than when svc last used it: it was restored from an old copy, or rolled back by a program that synchronises files.`
  const advice = newer
    ? `The backup ${newer} is newer. To continue with the backup: svc storage restore "${file}".`
    : 'No backup beside it is newer. If you have a newer copy, put it in its place.'
  throw new SvcError(
    'STORAGE_OLDER',
    `${found} ${advice} To continue with the older file: svc storage accept "${file}". Nothing was changed.`,
    {
      status: 503,
    },
  )
}

function readRecordedGeneration(file: string): number {
  try {
    const text = readFileSync(getUsedMarkFile(file), 'utf8')
    return RECORD.test(text) ? Number.parseInt(text, 10) : 0
  } catch {
    return 0
  }
}
