/** Error codes of the plugin `backups`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BACKUP_FAILED:
    'The backup was not made or not restored: the disk is full, a folder cannot be written, or a file cannot be read. The message says which. Nothing was changed.',
  BACKUP_DAMAGED:
    'The file is not a backup or an export of svc, is cut off, or was changed: what is in it does not have the recorded hashes. Use another backup.',
  BACKUP_PASSPHRASE:
    'The backup is encrypted, and no passphrase or a wrong one was given. Type it, or set SVC_BACKUP_PASSPHRASE. It cannot be recovered.',
  BACKUP_TOO_NEW:
    'A later version of svc made the backup, and this one could not read all of it. Update svc first: svc update. Nothing was changed.',
  BACKUP_IN_USE: 'svc runs in the home that is to be replaced. End what the message names, then restore again.',
  BACKUP_TARGET:
    'The place for the backup or for the restored home cannot be used, mostly because something is there already. The message says what to do.',
  SNAPSHOT_UNKNOWN: 'No snapshot of this home has this number or id. svc snapshot list shows those that there are.',
} satisfies ErrorMessages
