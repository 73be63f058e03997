/** Error codes of the plugin `markup`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MARKUP_NOT_STARTED:
    'The service was used before the plugin had started. Use it after the start, or within `onStart`.',
} satisfies ErrorMessages
