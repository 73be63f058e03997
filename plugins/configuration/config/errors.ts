import type { ErrorMessages } from 'svc/sdk'

/** Codes of the plugin `config`. It also throws the kernel's CONFIG_INVALID and CONFIG_UNREADABLE. */
const errors = {
  CONFIG_ALIAS:
    'The key lies inside a YAML alias (*name), which other places share. Change the anchor, or edit by hand.',
  CONFIG_CHANGE_DENIED: 'A plugin denied the change. Nothing was written; the message has the reason.',
  CONFIG_EDIT_CONFLICT:
    'Another program changed the same lines of config.yaml while it was edited. Nothing was written; edit again.',
  CONFIG_EDIT_UNSAFE:
    'The change could not be made without touching other settings. Make it by hand with `svc config edit`.',
  CONFIG_FIXED: 'The key is fixed for this machine. Its administrator can change it; the message names the file.',
  CONFIG_LOCKED:
    'Another process is writing the configuration and does not end. The message names it and the lock file.',
  CONFIG_LOST:
    'config.yaml is gone, empty or cut off, and the copy of its last good state holds. Run `svc config restore` or `svc config accept`.',
  CONFIG_NOT_LOST: 'There is nothing to restore: config.yaml is there and complete.',
  CONFIG_PATH: 'The key cannot be used: it is malformed, or it leads through a value that holds no keys.',
  CONFIG_TOO_NEW: 'config.yaml was written for a newer svc. It was left untouched; update svc to change it.',
  CONFIG_UNDO_CONFLICT: 'A later edit touches the same lines, so the change cannot be taken back alone. Edit by hand.',
  CONFIG_UNDO_UNKNOWN: 'There is no such change to take back. `svc config undo --list` shows those there are.',
  CONFIG_WRITE_FAILED: 'The file could not be written (full disk, missing rights). The old file is intact.',
} satisfies ErrorMessages

export default errors
