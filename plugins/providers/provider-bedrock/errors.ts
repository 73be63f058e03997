/** Error codes of the plugin. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  BEDROCK_FRAME_GARBLED:
    'A message of the event stream was damaged or is invalid. Send the message again; if it happens again, look for a proxy that changes answers.',
} satisfies ErrorMessages
