/** Error codes of the plugin `dashboard-operations`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_PLUGIN: 'There is no plugin of this name, or it cannot be switched here. The message says what to do.',
  DASHBOARD_DELIVERY: 'There is no delivery of this id in a state that allows this.',
  DASHBOARD_ACTION:
    'No action of this name was begun since the dashboard started, or another one is under way. The message says which.',
  DASHBOARD_TRACE: 'Nothing is known of a message, a turn or a delivery with this id.',
} satisfies ErrorMessages
