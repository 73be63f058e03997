/** Error codes of the plugin `journey`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  JOURNEY_UNKNOWN: 'Nothing that was learned has this id. Read the graph again: it was changed or removed meanwhile.',
  JOURNEY_FIXED: 'The entry cannot be changed or removed here, because it came with svc or was installed.',
} satisfies ErrorMessages
