/** Error codes of the plugin `dashboard`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_NO_LOGIN:
    'The dashboard would be open to others: no login is set up. Set a password with `svc dashboard password`, or listen on 127.0.0.1 without `dashboard.server.public_url`.',
  DASHBOARD_PROXY:
    'An entry of `dashboard.server.trusted_proxies` is no IP address or range. Write it as 10.0.0.5 or 10.0.0.0/24.',
  DASHBOARD_FOREIGN_PAGE:
    'A request had the cookie of a login and did not come from a page of the dashboard. Programs send the token, or the header `Origin`.',
  DASHBOARD_TOKEN_WEAK: 'SVC_DASHBOARD_SESSION_TOKEN is too easy to guess. Set 16 random characters or more.',
  DASHBOARD_LOGIN_ENDED: 'The login ended while it was used. Sign in again.',
  DASHBOARD_PORT: 'The port is not a number from 0 to 65535.',
  DASHBOARD_NOT_RUNNING: 'No dashboard of this home runs. Start it with `svc dashboard`.',
  DASHBOARD_NOT_STOPPED: 'A dashboard did not stop. The message says why.',
  DASHBOARD_ROUTE_UNKNOWN: 'There is no such path in the interface of the dashboard.',
  DASHBOARD_INPUT: 'A field of the request is wrong; the message names it.',
  DASHBOARD_BODY: 'The body of the request is not JSON, or too large for JSON.',
  DASHBOARD_FILE: 'There is no such file, or it has a suffix that is not sent. Check the address.',
  DASHBOARD_PAGE: 'There is no such page or view of a plugin. It may have been disabled; GET /api/pages lists them.',
  DASHBOARD_VIEW: 'A view of a plugin failed. The message names the plugin, which is charged with it.',
} satisfies ErrorMessages
