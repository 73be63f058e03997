/** Error codes of the transcript. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  ENTRY_INVALID: 'A plugin adds an entry that is too long or is not plain data. The message names the limit.',
} satisfies ErrorMessages
