/** Error codes of the terminal in the browser. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  WEB_TERMINAL_START: 'The program of a terminal could not be started. The message holds the reason.',
  WEB_TERMINAL_FULL: 'As many terminals are open as there may be. Close one, then try again.',
  WEB_TERMINAL_QUERY:
    'The address of the terminal is malformed. The message names the part; leave it out or correct it.',
} satisfies ErrorMessages
