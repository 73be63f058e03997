/** Backups, exports and snapshots have one format and are not taken for each other: a restore replaces the home, an import adds to it. */
import { SvcError } from 'svc/sdk'
import { quotePath } from 'svc/sdk/kit/terminal'
import type { BackupHead } from './facts.ts'

/** Throws `BACKUP_TARGET`. */
export function requireKind({ kind }: BackupHead, wanted: BackupHead['kind'], file: string): void {
  if (kind === wanted) return
  throw new SvcError('BACKUP_TARGET', `${file} is ${explain(kind, file)}`, { status: 409 })
}

function explain(kind: BackupHead['kind'], file: string): string {
  if (kind === 'svc-export')
    return `an export: it has a part of a home only. Take it over with svc import ${quotePath(file)}`
  if (kind === 'svc-snapshot') return 'a snapshot: it has the state of a home only. svc snapshot list shows its number'
  return `a backup of a whole home, which replaces this one: svc backup restore ${quotePath(file)}`
}
