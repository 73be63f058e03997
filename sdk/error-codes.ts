/** Errors of the SDK and its kit, by their codes. */
import type { ErrorMessages } from './errors.ts'

/** Codes that the SDK and its kit throw or report. */
export const sdkErrors = {
  CLI_CONFIRM: 'The step needs a confirmation and there is no terminal to ask on. Check what it does, then add --yes.',
  CONVERSATION_CHANGE_DENIED:
    'A plugin denied another session, a branch, an undo or an end. The message has its reason; `svc plugins list` names the plugins.',
  ENVIRONMENT_LOST:
    'The container or the other machine went away in the middle of an operation on its files. Repeat it: it connects again.',
  ENVIRONMENT_MISSING:
    'The plugin that knows in which environment the files of a session are should run and does not. Repair it, or switch it off to work on this machine.',
  EVENT_TOO_LARGE: 'A server sent one event of more than 16 MiB. Check that it is a model server.',
  INTERNAL: 'Something went wrong that has no code of its own. `svc plugins` and the log say where.',
  MODEL_CHANGE_DENIED:
    'A plugin denied another model. The message has its reason; `svc plugins list` names the plugins.',
  MODEL_KEY_REFUSED: 'A model service refuses the key. Check the key, or create a new one at the service.',
  NET_JSON:
    'The other side answered with something that is not JSON, or not the JSON that was expected. The message quotes it.',
  PLATFORM_FILE_LARGE:
    'A file in a chat is larger than max_attachment_bytes of the platform allows. Raise it, or send a smaller file.',
  PLATFORM_NOT_CONNECTED: 'The platform is not connected. See `svc gateway status` for the reason.',
  PLATFORM_UNAUTHORIZED:
    'The service of a platform does not accept the account. Copy its token and secret from the console of the service again.',
  PLATFORM_UNREACHABLE:
    'The service of a platform could not be reached, or answered something strange. Check the network and `base_url` of its block.',
  PLATFORM_REFUSED: 'The service of a platform did not take a message. Its reason is in the message.',
  PLATFORM_TOO_LONG: 'A message is longer than the platform allows. Send it in parts.',
  PLATFORM_MEDIA: 'A file of a message could not be fetched. Ask for it again.',
  SCOPE_UNGUARDED:
    'Machines share tables (storage.url), and the plugin "replication" does not run. Enable it, or remove storage.url: two would do the same work.',
  SERVICE_ABSENT: 'A part of svc that the request needs does not run. The message names it; `svc plugins` says why.',
  SETTINGS_MIGRATION:
    'Settings of a plugin could not be brought to the form of its present version. The file is as it was; the message has the reason.',
  SETTINGS_TOO_NEW:
    'Settings were written by a later version of a plugin. Nothing was changed; install that version again.',
  SIGN_IN_DENIED: 'The sign-in was declined at the service. Begin again if that was a mistake.',
  SIGN_IN_ENDED: 'A sign-in cannot be renewed any more. Sign in again with the command that the message names.',
  SIGN_IN_EXPIRED: 'A sign-in was not completed within the time that the service allows. Begin again.',
  SIGN_IN_FAILED: 'A sign-in did not work; the message has what the service said. Try again.',
  STATE_BUSY:
    'State of a plugin is being changed by another process for too long. Try again; `svc doctor` helps if it stays.',
  STATE_INVALID:
    'State of a plugin does not fit its schema or could not be migrated. The message has the reason; the stored content is kept.',
  STATE_TOO_LARGE:
    'State of a plugin is larger than 16 MiB. Nothing was changed; the plugin has to use a database for it.',
  STATE_TOO_NEW: 'State was written by a later version of a plugin. Nothing was changed; install that version again.',
  STORAGE_BUSY:
    'Others have kept a database to themselves for too long. Try again; if it stays, look for a hanging svc process.',
  STORAGE_CLOSED: 'A database was used after its owner was unloaded, or a transaction after its end. Open it again.',
  STORAGE_CONFLICT:
    'A row was refused, because its key is taken or it refers to one that is not there. The message has the constraint.',
  STORAGE_FENCED:
    'Another process has taken over what this one was doing, so the rest of its work was not stored. Nothing is to be done: the other one goes on.',
  STORAGE_LEASE_LOST:
    'Another process has claimed the same item of a queue meanwhile. Nothing is to be done: the other one goes on.',
  STORAGE_MIGRATION_FAILED:
    'A step that brings a database to the current schema failed and was taken back; its tables are as they were. Report it together with the message.',
  STORAGE_NAME_INVALID:
    'A plugin gave a store, a queue, a channel or a lock a name that cannot be one. The message has the rule.',
  STORAGE_NESTED:
    'A plugin asked the store for something in the work of a transaction, other than by its statements. It would wait for itself.',
  STORAGE_NOTICE_LARGE: 'A plugin sent a notice that is too large. It has to send an id instead.',
  STORAGE_READ_ONLY:
    'The database server takes no changes: it is a replica, or set to read-only. Give storage.url the address of the server that is written to.',
  STORAGE_TIMEOUT: 'A statement took longer than storage.timeout_seconds and was ended. Try again, or raise the limit.',
  STORAGE_TOO_NEW:
    'A database was last written by a newer version of svc or of the plugin that the message names, and this one would damage it. Update svc, or start with another SVC_HOME; install the version of the plugin again, or return to it with svc plugins rollback.',
  STORAGE_UNAVAILABLE:
    'A database cannot be opened or written: the disk is full, the rights are missing, or its server cannot be reached. The message says which; then try again.',
  STORAGE_URL_INVALID: 'The address in storage.url is wrong. It looks like postgres://user@host:5432/database.',
} satisfies ErrorMessages
