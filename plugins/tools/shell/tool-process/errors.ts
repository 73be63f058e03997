/** Error codes of background processes. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  PROCESS_UNKNOWN: 'No process of this session has the id. `process list` shows those there are.',
  PROCESS_TOO_MANY: 'As many processes run in the background as can be tracked. Kill one that is not needed any more.',
  PROCESS_START: 'The program could not be started. The message holds the reason.',
  PROCESS_NO_PTY:
    'No terminal can be made on this machine: the library for it did not load. Run the command without pty.',
  PROCESS_NO_INPUT:
    'The process takes no input (any more): it has ended, its input was closed, or an earlier svc started it.',
  PROCESS_DENIED: 'What was to be typed was not allowed. The message holds the reason.',
  PROCESS_INPUT: 'The call lacks something that its action needs. The message names it.',
} satisfies ErrorMessages
