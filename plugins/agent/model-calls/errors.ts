/** Error codes of the plugin `model-calls`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BUDGETS_FAILED: 'The plugin that provides `budgets` failed, so no money could be held. `svc plugins` shows why.',
} satisfies ErrorMessages
