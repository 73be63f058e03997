/** Error codes of the plugin `dashboard`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_NO_LOGIN:
    'The dashboard would be open to others on this address: no login is set up. Listen on 127.0.0.1, or set one up.',
  DASHBOARD_TOKEN_WEAK: 'SVC_DASHBOARD_SESSION_TOKEN is too easy to guess. Set 16 random characters or more.',
  DASHBOARD_PORT: 'The port is not a number from 0 to 65535.',
  DASHBOARD_NOT_RUNNING: 'No dashboard of this home runs. Start it with `svc dashboard`.',
  DASHBOARD_NOT_STOPPED: 'A dashboard did not stop. The message says why.',
  DASHBOARD_ROUTE_UNKNOWN: 'There is no such path in the interface of the dashboard.',
  DASHBOARD_INPUT: 'A field of the request is wrong; the message names it.',
  DASHBOARD_BODY: 'The body of the request is not JSON, or too large for JSON.',
  DASHBOARD_FILE: 'There is no such file, or it has a suffix that is not sent. Check the address.',
} satisfies ErrorMessages
