/** Error codes of the display. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DISPLAY_VALUE: 'The key of the block display does not take this value. The message names what it takes.',
  DISPLAY_NO_WRITER: 'The plugin config, which writes config.yaml, is switched off. Switch it on, or edit the file.',
  SKIN_UNKNOWN: 'There is no skin of this name, neither built in nor as a file of the folder skins in SVC_HOME.',
  SKIN_INVALID: 'The file of the skin cannot be used: the message names the line or key. Mend it and choose it again.',
} satisfies ErrorMessages
