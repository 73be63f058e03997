/** Codes of auxiliary. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  AUXILIARY_FAILED:
    'No model did this side work. The message has what each of them said; `svc model aux list` has all.',
  AUXILIARY_MISSING:
    'Auxiliary work needs a model, and no model is connected. Choose one with `svc model set <provider> <model>`.',
} satisfies ErrorMessages
