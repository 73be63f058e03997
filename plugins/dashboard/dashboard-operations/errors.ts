/** Error codes of the plugin `dashboard-operations`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DASHBOARD_PLUGIN: 'There is no plugin of this name, or it cannot be switched here. The message says what to do.',
  DASHBOARD_DELIVERY: 'There is no delivery of this id in a state that allows this.',
  DASHBOARD_ACTION:
    'No action of this name was begun since the dashboard started, or one that it would disturb is under way. The message says which.',
  DASHBOARD_COMMAND: 'A command that an action runs ended with an error. The message is the last line that it wrote.',
  DASHBOARD_PROFILE: 'There is no profile of this name. svc profile list shows those that exist.',
  DASHBOARD_BACKUP_PLACE: 'The file is outside of the folder whose files are used here. The message names the folder.',
  DASHBOARD_IMPORT:
    'An export or a backup was not taken over: it was not confirmed, or it cannot be read. The message says which.',
  DASHBOARD_STORED_FILE: 'There is no file of this name in the folder. The message names the folder.',
  DASHBOARD_TRACE: 'Nothing is known of a message, a turn or a delivery with this id.',
} satisfies ErrorMessages
