/** Error codes of `svc gateway`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  GATEWAY_RUNNING:
    'Another gateway of this home runs already. Stop it with `svc gateway stop`, or take its place with `--replace`.',
  GATEWAY_NOT_RUNNING: 'No gateway of this home runs, or it does not answer. Start it with `svc gateway start`.',
  GATEWAY_ENDING: 'The gateway stops or restarts already, so it is not drained.',
  GATEWAY_ACTION:
    'The gateway could not be started, or could not be restarted. The message says why; `svc gateway status` tells how it is.',
  GATEWAY_UNAVAILABLE: 'The gateway could not be loaded. `svc plugins` shows which plugin is missing and why.',
  GATEWAY_EXPOSED:
    'Something would listen where others can reach it and do work without proof. Set its key or secret, or bind it to loopback.',
  GATEWAY_PROFILE: 'There is no profile of this name. `svc profile list` shows those there are.',
  GATEWAY_CONTACT:
    'The platform has no address that a phone can open, or it is not known yet. The message says which; `svc gateway status` shows how the platform is.',
  GATEWAY_NO_PLATFORM:
    'Every platform that is set up refused, and trying again is useless. The message says what each one wants.',
  GATEWAY_SERVICE:
    'The system has no service manager that svc knows, or it refused. `svc gateway start` works without one.',
} satisfies ErrorMessages
