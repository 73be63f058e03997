/** Error codes of the plugin `file-watcher`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  FILE_WATCH_FOLDER: 'The folder that a plugin wants to watch is not there, or is no folder.',
  FILE_WATCH_LIMIT:
    'Plugins watch as many folders as svc allows. Switch off a plugin that watches, or end a conversation.',
} satisfies ErrorMessages
