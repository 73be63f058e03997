/** Error codes of the backend for Brave Search. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BRAVE_FAILED:
    'Brave Search could not be asked, refused, or answered something strange: see the reason. Another backend is asked meanwhile.',
} satisfies ErrorMessages
