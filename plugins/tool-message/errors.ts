/** Error codes of sending messages. */
import type { ErrorCatalog } from 'svc/sdk'

export default {
  MESSAGE_INCOMPLETE: 'Sending needs a target and a message with words. `list` gives the targets.',
  MESSAGE_NO_GATEWAY: 'Messages are sent by the gateway, and none runs in this process. Start it with `svc gateway`.',
  MESSAGE_TARGET_UNKNOWN: 'No chat that can be written to has this name. The message says which there are.',
} satisfies ErrorCatalog
