/** Error codes of the plugin `storage`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  STORAGE_UNAVAILABLE:
    'A database file cannot be opened or written: the disk is full, or the rights are missing. Free space or fix the rights of the path in the message, then try again.',
  STORAGE_DRIVER:
    'SQLite does not run with this Node, mostly after an upgrade of Node or under another one. The message has the command that builds it again.',
  STORAGE_TOO_NEW:
    'A database was last written by a newer version of svc or of the plugin that the message names, and this one would damage it. Update svc, or start with another SVC_HOME; install the version of the plugin again, or return to it with svc plugins rollback.',
  STORAGE_OLDER:
    'A database is older than when svc last used it, or than its backup: an old copy was restored, or a program that synchronises files rolled it back. Continue with the backup (svc storage restore) or with the file (svc storage accept).',
  STORAGE_NOT_OLDER:
    'svc storage restore and accept are for databases that svc refuses with STORAGE_OLDER, and this is not one. svc storage list shows all of them.',
  STORAGE_NO_NEWER_BACKUP:
    'There is no sound backup that is newer than the database. Put a newer copy in its place, or continue with the file: svc storage accept.',
  STORAGE_BUSY:
    'Another process has held the write lock of a database for more than five seconds. Try again; if it stays, look for a hanging svc process.',
  STORAGE_CORRUPT:
    'A database turned out to be damaged while in use. Run svc again, and restart its gateway if one runs: the file is then checked, kept aside and replaced by its newest backup. A single question is asked once more without that, unless something was shown or paid.',
  STORAGE_CLOSED: 'A database was used after its owner was unloaded. Ask the service for it again.',
  STORAGE_MIGRATION_FAILED:
    'A step that brings a database to the current schema failed and was taken back; the file is as it was. Report it together with the message.',
  STORAGE_FILE_INVALID:
    'A plugin asked for a database by a relative path. Open it with an absolute one, below ctx.dataDir.',
} satisfies ErrorMessages
