/** Error codes of the backend for Exa. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  EXA_FAILED:
    'Exa could not be asked, refused, or answered something strange: see the reason. Another backend is asked meanwhile.',
} satisfies ErrorMessages
