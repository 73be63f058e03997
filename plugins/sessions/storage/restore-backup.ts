/** Puts the newest good backup in the place of a file that is missing or damaged; what was there is kept aside. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type Clock, errorMessage, type Logger, type Random } from 'svc/sdk'
import { isPidInUse } from 'svc/sdk/kit/process'
import { hasRows, refuseDamage } from './damage.ts'
import { getUsedMarkFile, knownGeneration, listBackupFiles, setGeneration } from './database-generation.ts'
import { type Connection, connect } from './driver.ts'

const getRepairLockFile = (file: string) => `${file}.repairing`
/** Files that SQLite keeps beside a database. */
const companions = ['-wal', '-shm', '-journal'] as const
const pauseMs = 20
/** Half a minute: a process that holds the lock for longer hangs, or its id was reused. */
const patience = 1500

export interface RescueDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** What a rescue works with. */
export interface Rescue extends RescueDeps {
  readonly file: string
  /** The inode of the file that was found damaged. */
  readonly inode: number
  /** How many migration steps the program knows. Left out: any may have been done. */
  readonly schema?: number
}

/** Returns at once unless another process is replacing the file. */
export function waitForRescue(file: string): void {
  if (existsSync(getRepairLockFile(file))) alone(file, () => {})
}

/** Replaces the file, unless another process has done it already, and reports what happened and what to do. */
export function replaceDamaged(rescue: Rescue, reason: string): void {
  const { file, inode } = rescue
  alone(file, () => {
    if (statSync(file, { throwIfNoEntry: false })?.ino === inode) replace(rescue, reason)
  })
}

/** Records beside the file that it was in use, so that its loss is noticed. */
export function markUsed(file: string): void {
  if (!existsSync(getUsedMarkFile(file))) writeFileSync(getUsedMarkFile(file), '', { mode: 0o600 })
}

/**
 * Brings back a file that was used and is missing or empty now. Says so when there is no backup with something in it;
 * an empty database takes its place then.
 */
export function restoreMissing(rescue: Omit<Rescue, 'inode'>): void {
  const { file, random, log } = rescue
  if (!isGone(file) || ![getUsedMarkFile(file), ...listBackupFiles(file)].some((path) => existsSync(path))) return
  alone(file, () => {
    if (!isGone(file)) return
    const state = existsSync(file) ? 'empty' : 'missing'
    const fresh = `${file}.restoring-${random.hex(4)}`
    const taken = copyBackup(rescue, fresh, hasRows)
    if (!taken) {
      if (!existsSync(getUsedMarkFile(file))) return
      log.error(
        `The database ${file} is ${state}, and there is no backup with content. svc continues with an empty one. If you have a copy, stop svc and put it there.`,
        { file },
      )
      rmSync(getUsedMarkFile(file), { force: true })
      return
    }
    const kept = datedName(rescue, 'lost')
    for (const part of companions) if (existsSync(file + part)) renameSync(file + part, kept + part)
    renameSync(fresh, file)
    log.error(
      `The database ${file} was ${state}. It was restored from the backup of ${taken}; what came later is lost. To begin without it: stop svc and delete the file and its backups.`,
      { file, backup: taken },
    )
  })
}

/** No byte of it is there. */
function isGone(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0
}

function replace(rescue: Rescue, reason: string): void {
  const { file, random, log } = rescue
  const kept = datedName(rescue, 'corrupt')
  const fresh = `${file}.restoring-${random.hex(4)}`
  const taken = copyBackup(rescue, fresh, hasRows)
  if (!taken) writeFileSync(fresh, '', { mode: 0o600 })
  replaceFile(file, { fresh, kept })
  const outcome = taken
    ? `It was replaced by the backup of ${taken}; what came later is only in the damaged file.`
    : 'There is no good backup, so an empty one took its place.'
  log.error(
    `The database ${file} was damaged (${reason}). ${outcome} The damaged file is kept as ${kept}: \`sqlite3 "${kept}" .recover\` may get more out of it; delete it when you no longer need it.`,
    { file, kept, backup: taken ?? 'none' },
  )
}

/** Puts `fresh` in the place of a file, which is kept under another name. */
export function replaceFile(file: string, { fresh, kept }: { readonly fresh: string; readonly kept: string }): void {
  // Before the new file is there: SQLite would take the old log for the new file's.
  for (const part of companions) if (existsSync(file + part)) renameSync(file + part, kept + part)
  keep(file, kept)
  renameSync(fresh, file)
}

export function datedName({ file, clock, random }: RescueDeps & { readonly file: string }, what: string): string {
  const name = `${file}.${what}-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')}`
  return existsSync(name) ? `${name}-${random.hex(2)}` : name
}

/** A second name instead of a new one: then the path leads to some file at every moment. Not all disks can do it. */
function keep(file: string, kept: string): void {
  try {
    linkSync(file, kept)
  } catch {
    renameSync(file, kept)
  }
}

/** Returns when the newest backup that is sound, of a known schema and `wanted` was taken; undefined when there is none. */
export function copyBackup(
  { file, schema, log }: Omit<Rescue, 'inode'>,
  copy: string,
  wanted: (connection: Connection) => boolean = () => true,
): string | undefined {
  for (const backup of listBackupFiles(file).filter((path) => existsSync(path))) {
    try {
      copyFileSync(backup, copy)
      chmodSync(copy, 0o600)
      if (prepareCopy(copy, { schema, wanted, generation: knownGeneration(file) + 1 }))
        return statSync(backup).mtime.toISOString()
    } catch (error) {
      log.error(`The backup ${backup} cannot be used: ${errorMessage(error)}.`, { error })
    }
    for (const part of ['', ...companions]) rmSync(copy + part, { force: true })
  }
  return undefined
}

/** Checks a copy, and makes it the newest of all that there is; false when it is not `wanted`. */
function prepareCopy(
  file: string,
  {
    schema,
    wanted,
    generation,
  }: {
    readonly schema: number | undefined
    readonly wanted: (connection: Connection) => boolean
    readonly generation: number
  },
): boolean {
  const connection = connect(file)
  try {
    const had = connection.pragma('user_version', { simple: true }) as number
    if (schema !== undefined && had > schema)
      throw new Error(`it has schema ${had} and this svc knows schema ${schema}`)
    refuseDamage(connection)
    if (!wanted(connection)) return false
    setGeneration(connection, generation)
    return true
  } finally {
    connection.close()
  }
}

/** Runs `work` while no other process is in here with the same file. Blocks, as all of opening does. */
export function alone<T>(file: string, work: () => T): T {
  for (let pauses = 0; !takeLock(file); pauses++) {
    if (pauses >= patience || isHolderDead(file)) rmSync(getRepairLockFile(file), { force: true })
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  }
  try {
    return work()
  } finally {
    rmSync(getRepairLockFile(file), { force: true })
  }
}

function takeLock(file: string): boolean {
  try {
    writeFileSync(getRepairLockFile(file), String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return false
    throw error
  }
}

function isHolderDead(file: string): boolean {
  try {
    const pid = Number(readFileSync(getRepairLockFile(file), 'utf8'))
    return pid > 0 && !isPidInUse(pid)
  } catch {
    // Such as a lock that has just been released: the next attempt will show it.
    return false
  }
}
