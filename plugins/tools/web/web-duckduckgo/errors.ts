/** Error codes of the backend for DuckDuckGo. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DUCKDUCKGO_FAILED:
    'DuckDuckGo could not be asked, refused, or answered something strange: see the reason. Another backend is asked meanwhile.',
} satisfies ErrorMessages
