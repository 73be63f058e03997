/** Error codes of the plugin `sessions-cli`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SESSIONS_UNKNOWN: 'No session has this id or begins with it. svc sessions list shows the ids.',
  SESSIONS_AMBIGUOUS: 'Several sessions begin with what was typed. Type more of the id; the message lists them.',
  SESSIONS_FILE: 'A file cannot be read or written; the message has the path and the reason.',
  SESSIONS_IMPORT_INVALID:
    'The file is not an export of svc sessions, or it was damaged; the message has the line. Nothing was imported.',
} satisfies ErrorMessages
