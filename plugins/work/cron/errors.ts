/** Error codes of the plugin `cron`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  CRON_AMBIGUOUS: 'Several jobs have this name. Name one by its id: `svc cron list` shows them.',
  CRON_INPUT: 'A field of the job cannot be used; the message says which and why.',
  CRON_NEVER: 'The schedule is never due: its moment is over, or no day fits it. Change it.',
  CRON_REFUSED: 'The state of the job does not allow it; the message says what does.',
  CRON_RUN_LOST: 'The run was taken over by another process, because this one could not prolong it in time.',
  CRON_SCHEDULE:
    'The text is no schedule. Write 30m, every 2h, a cron expression of five fields, @daily, or a moment such as 2027-01-31T09:00.',
  CRON_SCRIPT:
    'The script of the job cannot be run or failed; the message says why. Scripts lie in the folder scripts of the home.',
  CRON_TARGET: 'There is nowhere to deliver to; the message says what is missing.',
  CRON_UNKNOWN: 'There is no such job. `svc cron list --all` shows them.',
} satisfies ErrorMessages
