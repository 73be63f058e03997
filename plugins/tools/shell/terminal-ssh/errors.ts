/** Error codes of the ssh backend. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TERMINAL_SSH_UNSET: 'The backend ssh was chosen without a machine. Set terminal.ssh_host or TERMINAL_SSH_HOST.',
  TERMINAL_SSH_MISSING: 'The program ssh is not installed or not on the PATH. Install an OpenSSH client.',
  TERMINAL_SSH_FAILED: 'The machine could not be reached or did not let us in. The message holds what ssh said.',
} satisfies ErrorMessages
