/** Error codes of the bubblewrap backend. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TERMINAL_BWRAP_MISSING: 'The program bwrap is not installed or not on the PATH. Install the package bubblewrap.',
  TERMINAL_BWRAP_FAILED:
    'The sandbox could not be made: often because user namespaces are switched off. The message holds what bwrap said.',
} satisfies ErrorMessages
