/** Error codes of the plugin `model-calls`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BUDGETS_FAILED: 'The plugin that provides `budgets` failed, so no money could be held. `svc plugins` shows why.',
  MODEL_CALL_WRAPPED:
    'A plugin that listens to `AroundModelCall` returned something else than a stream of events. `svc plugins` shows which plugins listen.',
} satisfies ErrorMessages
