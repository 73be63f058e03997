/** Codes of session-tree. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SESSION_POINT_UNKNOWN:
    'The conversation has no message of this number. `svc sessions show <id>` numbers them from 1 to the last.',
} satisfies ErrorMessages
