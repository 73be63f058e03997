/** Error codes of the backend for Firecrawl. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  FIRECRAWL_FAILED:
    'Firecrawl could not be asked, refused, or answered something strange: see the reason. Another backend is asked meanwhile.',
} satisfies ErrorMessages
