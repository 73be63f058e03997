/** Error codes of the plugin `access`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  PAIRING_CODE:
    'No open request of the platform has this code. `svc pairing list` shows the requests; codes last an hour.',
  PAIRING_LOCKED:
    'Too many wrong codes were typed for the platform. Wait until the time that is named, then ask for a new code.',
  PAIRING_UNKNOWN:
    'No person with this id is paired on the platform by a code. `svc pairing list` shows the paired ones.',
} satisfies ErrorMessages
