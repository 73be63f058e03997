/** Error codes of sending messages. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MESSAGE_INCOMPLETE:
    'Sending needs a target, and words or files. Files without a target go with the answer. `list` gives the targets.',
  MESSAGE_FILE:
    'A file that was to be sent cannot be read, is empty or too large, or must not leave. The message says which.',
  MESSAGE_NO_GATEWAY: 'Messages are sent by the gateway, and none runs in this process. Start it with `svc gateway`.',
  MESSAGE_TARGET_UNKNOWN: 'No chat that can be written to has this name. The message says which there are.',
} satisfies ErrorMessages
