/** Error codes of the backend for Tavily. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TAVILY_FAILED:
    'Tavily could not be asked, refused, or answered something strange: see the reason. Another backend is asked meanwhile.',
} satisfies ErrorMessages
