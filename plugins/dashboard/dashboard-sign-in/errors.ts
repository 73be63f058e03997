/** Codes of dashboard-sign-in. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_SIGN_IN_EXTERNAL: 'Another program signs in to this provider. Run the command that the message names.',
  DASHBOARD_SIGN_IN_FAILED: 'The sign-in did not begin; the message has what the service said. Try again.',
  DASHBOARD_SIGN_IN_KIND: 'This sign-in takes no pasted code. Ask how it stands.',
  DASHBOARD_SIGN_IN_SESSION: 'There is no such sign-in under way, or its time is over. Begin again.',
  DASHBOARD_SIGN_IN_UNKNOWN:
    'No plugin offers a way to sign in to this provider. `GET /api/providers/oauth` lists those there are.',
} satisfies ErrorMessages
