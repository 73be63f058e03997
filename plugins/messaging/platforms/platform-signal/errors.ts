/** Error codes of the platform Signal. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SIGNAL_CLOSED: 'Something was to be sent while Signal was not connected. It is tried again once it is.',
  SIGNAL_FAILED:
    'The daemon of signal-cli could not be asked, refused, or answered something strange: see the reason in the message.',
  SIGNAL_LIMITED: 'Signal limits how fast the account may send. It is tried again later.',
  SIGNAL_UNAUTHORIZED:
    'The account is not registered or not linked any more. Link it again with `signal-cli link`, restart the daemon, then run `svc gateway` again.',
} satisfies ErrorMessages
