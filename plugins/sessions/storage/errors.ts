/** Error codes of the plugin `storage`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  STORAGE_DRIVER:
    'SQLite does not run with this Node, mostly after an upgrade of Node or under another one. The message has the command that builds it again.',
  STORAGE_OLDER:
    'A database is older than when svc last used it, or than its backup: an old copy was restored, or a program that synchronises files rolled it back. Continue with the backup (svc storage restore) or with the file (svc storage accept).',
  STORAGE_NOT_OLDER:
    'svc storage restore and accept are for databases that svc refuses with STORAGE_OLDER, and this is not one. svc storage list shows all of them.',
  STORAGE_NO_NEWER_BACKUP:
    'There is no sound backup that is newer than the database. Put a newer copy in its place, or continue with the file: svc storage accept.',
  STORAGE_CORRUPT:
    'A database turned out to be damaged while in use. Run svc again, and restart its gateway if one runs: the file is then checked, kept aside and replaced by its newest backup. A single question is asked once more without that, unless something was shown or paid.',
  STORAGE_FILE_INVALID:
    'A plugin asked for a database by a relative path. Open it with an absolute one, below ctx.dataDir.',
} satisfies ErrorMessages
