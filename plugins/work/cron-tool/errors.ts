/** Error codes of the plugin `cron-tool`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  CRON_TOOL_INPUT: 'A field that the action needs is missing or cannot be read; the message says which.',
  CRON_TOOL_NOT_ALLOWED:
    'A scheduled run may not add or change jobs, unless its job was made with `svc cron add --may-manage-jobs`.',
} satisfies ErrorMessages
