/** Error codes of the plugin `dashboard-messaging`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_PLATFORM: 'There is no chat platform of this name. `GET /api/messaging/platforms` lists those there are.',
  DASHBOARD_PLATFORM_VARIABLE: 'The platform does not read this variable; its entry lists those it reads.',
  DASHBOARD_PHONE: 'The platform is not linked to the account of a phone: set its variables.',
  DASHBOARD_PHONE_LINK:
    'No account is being linked under this id, or the phone has not scanned the code yet. Begin again.',
  DASHBOARD_PAIRING: 'No person with this id is paired on the platform by a code. Read the list again.',
} satisfies ErrorMessages
