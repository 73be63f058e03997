/** Error codes of the plugin `cron-cli`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  CRON_ELSEWHERE: 'Another process runs what was asked for here. `svc cron history` shows what becomes of it.',
  CRON_NOT_THERE: 'The plugin cron does not run, so there are no jobs. `svc plugins` says why.',
} satisfies ErrorMessages
