/** Backups and exports have one format and are not taken for each other: a restore replaces the home, an import adds to it. */
import { SvcError } from 'svc/sdk'
import { quotePath } from 'svc/sdk/kit/terminal'
import type { BackupHead } from './facts.ts'

/** Throws `BACKUP_TARGET`. */
export function requireKind({ kind }: BackupHead, wanted: BackupHead['kind'], file: string): void {
  if (kind === wanted) return
  const message =
    kind === 'svc-export'
      ? `${file} is an export: it has a part of a home only. Take it over with svc import ${quotePath(file)}`
      : `${file} is a backup of a whole home, which replaces this one: svc backup restore ${quotePath(file)}`
  throw new SvcError('BACKUP_TARGET', message, { status: 409 })
}
