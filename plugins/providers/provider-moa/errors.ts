/** Error codes of the plugin `provider-moa`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MOA_PRESET:
    'A mixture that was to be set could not answer: a model of it has no provider, is a mixture, or the preset for /moa is missing. The message says which.',
} satisfies ErrorMessages
