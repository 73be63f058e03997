/** Error codes of the plugin `approvals`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  APPROVAL_UNKNOWN: 'The request was answered already, ran out of time, or never was. Ask the agent to try again.',
  APPROVAL_CHOICE: 'The answer is not one of those that the request offers. Pick one of its choices.',
  APPROVAL_GRANT_UNKNOWN: 'No permanent grant has this id. `svc approvals list` shows them.',
  GUARD_OFF: 'A setting leaves out questions that would be asked. The message names it; undo it with `svc config set`.',
} satisfies ErrorMessages
