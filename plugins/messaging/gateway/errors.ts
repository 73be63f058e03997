/** Error codes of the gateway. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  GATEWAY_PLATFORM: 'There is no platform of this name. `svc gateway status` names those there are.',
  GATEWAY_ACCOUNT_TAKEN:
    'Another process on this machine uses the same account of a platform. Two would take each other’s messages; stop one.',
  GATEWAY_STANDS_BY:
    'Another gateway is connected to this account. This one takes over within 30 seconds of its end; there is nothing to do.',
  GATEWAY_OPEN_DOOR: 'A platform would let everybody in. Name who may write, or set allow_all when everybody is meant.',
  GATEWAY_CONNECT_TIMEOUT: 'A platform did not connect in time. It is tried again; the message says when.',
  GATEWAY_FILE: 'A file that a tool made is not attached to the answer. The message says why.',
  GATEWAY_DRAINING: 'The gateway is about to stop and takes nothing new. The platform delivers the message again.',
  GATEWAY_MOVE:
    'A conversation cannot be moved to another chat now. The message says why; try again when that is over.',
} satisfies ErrorMessages
