/** Error codes of the plugin `cron-cli`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  CRON_NOT_THERE: 'The plugin cron does not run, so there are no jobs. `svc plugins` says why.',
} satisfies ErrorMessages
