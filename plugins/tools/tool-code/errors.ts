/** Error codes of the script tool. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  CODE_NO_PYTHON: 'There is no python3 on the PATH. Install it, or write the script in JavaScript.',
  CODE_NOT_ALLOWED:
    'The script cannot be confined, and running it unconfined was not allowed. Install bubblewrap, or answer the question in a chat.',
} satisfies ErrorMessages
