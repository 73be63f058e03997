/** Error codes of the plugin `dashboard-sessions`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_SESSION_CHANGE:
    'A change of a session has a title or says whether it is archived; the request had neither.',
  DASHBOARD_SESSION_ARCHIVE:
    'The file is no export of a session. Take one that `svc sessions export` or the dashboard wrote.',
} satisfies ErrorMessages
