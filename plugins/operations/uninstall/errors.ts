/** Error codes of the plugin `uninstall`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  UNINSTALL_OPTION: 'Two options of `svc uninstall` exclude each other: data is kept or removed.',
  UNINSTALL_RUNNING:
    'svc runs in a home of this installation and could not be ended. The message names what; end it, then uninstall again. Nothing else was removed.',
  UNINSTALL_DATA:
    'The folder of the data is one that svc must not remove: it holds the folder of a user, or it does not look like a home of svc. Remove what you want of it yourself.',
} satisfies ErrorMessages
