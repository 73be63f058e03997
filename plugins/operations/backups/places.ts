/** Where backups and replaced homes are: next to the home, since what is in it would be lost with it. */
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Home } from 'svc/sdk'
import { getFolderNextTo } from 'svc/sdk/kit/files'
import type { StoredBackup } from 'svc/sdk/operations'

const BACKUP = /^svc-.*\.tar\.gz(\.age)?$/

/** `.svc-backups` of `.svc`; those of profiles are there, too. */
export function findBackupFolder({ root }: Home): string {
  return `${root}-backups`
}

/** The newest first. What is no ordinary file is left out. */
export function listBackups(home: Home): readonly StoredBackup[] {
  const folder = findBackupFolder(home)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => BACKUP.test(name)) : []
  return names
    .flatMap((name) => {
      const file = join(folder, name)
      const stats = lstatSync(file, { throwIfNoEntry: false })
      if (!stats?.isFile()) return []
      return [{ file, name, bytes: stats.size, createdAt: stats.mtimeMs, isEncrypted: name.endsWith('.age') }]
    })
    .sort((one, two) => two.createdAt - one.createdAt)
}

function nameBackup(profile: string | undefined, now: number, isEncrypted: boolean): string {
  const time = new Date(now).toISOString().slice(0, 19).replace(/[:]/g, '').replace('T', '-')
  const of = profile === undefined ? '' : `-${profile}`
  return `svc${of}-${time}.tar.gz${isEncrypted ? '.age' : ''}`
}

/** A path that is free, for a backup that is made now. */
export function proposeFile(home: Home, profile: string | undefined, now: number, isEncrypted: boolean): string {
  const file = join(findBackupFolder(home), nameBackup(profile, now, isEncrypted))
  return existsSync(file) ? proposeFile(home, profile, now + 1000, isEncrypted) : file
}

/** A free name for the folder of a home that a restore at this time replaces. */
export function nameReplaced(dir: string, now: number): string {
  const name = getFolderNextTo(dir, `before-${new Date(now).toISOString().replace(/[:.]/g, '-')}`)
  return existsSync(name) ? nameReplaced(dir, now + 1) : name
}

/** Homes that a restore replaced, the newest first. */
export function listReplaced(dir: string): readonly string[] {
  const prefix = basename(getFolderNextTo(dir, 'before-'))
  return readdirSync(dirname(dir))
    .filter((name) => name.startsWith(prefix) && /^\d{4}-[\dTZ-]+$/.test(name.slice(prefix.length)))
    .sort()
    .reverse()
    .map((name) => join(dirname(dir), name))
}
