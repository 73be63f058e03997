/** Error codes of the backend for SearXNG. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SEARXNG_FAILED:
    'The SearXNG server could not be asked, refused, or answered something strange: see the reason. Another backend is asked meanwhile.',
} satisfies ErrorMessages
