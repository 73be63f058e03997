/** Codes of models. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MODEL_NOT_CHOSEN:
    'The provider serves several models, or does not say which. Type `svc config set model.default <model>`.',
  MODEL_PROVIDER_UNKNOWN: 'No plugin contributes this model provider. Type `svc config set model.provider <name>`.',
  MODEL_UNAVAILABLE: 'The wanted model or its provider cannot be used now. The message has the reason.',
} satisfies ErrorMessages
