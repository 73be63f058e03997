/** Where backups and replaced homes are: next to the home, since what is in it would be lost with it. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Home } from 'svc/sdk'
import { getFolderNextTo } from 'svc/sdk/kit/files'

/** `.svc-backups` of `.svc`; those of profiles are there, too. */
export function findBackupFolder({ root }: Home): string {
  return `${root}-backups`
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
