/** Error codes of the plugin `log-view`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  LOG_FILE_UNKNOWN: 'No log file has this name. `svc logs --list` shows those that exist.',
  LOG_OPTION: 'An option of `svc logs` has a value that is not valid. The message says what to write.',
} satisfies ErrorMessages
