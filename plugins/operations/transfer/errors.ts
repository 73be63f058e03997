/** Error codes of the plugin `transfer`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TRANSFER_PART: 'No part of a home has the name that --only gives. The message lists those that can be exported.',
  TRANSFER_EMPTY: 'There is nothing to export: no file of the chosen parts exists.',
  TRANSFER_PASSPHRASE:
    'The export is encrypted or is to be, and no passphrase or one that is too short was given. Type it, or set SVC_EXPORT_PASSPHRASE.',
  TRANSFER_TARGET:
    'The export cannot be taken over here: it is of a whole home, and this is a profile. Import without -p.',
  TRANSFER_UNAVAILABLE: 'The plugin that copies homes does not run. `svc plugins list` shows why.',
} satisfies ErrorMessages
