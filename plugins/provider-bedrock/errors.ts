/** Error codes of the plugin. */
import type { ErrorCatalog } from 'svc/sdk'

export default {
  BEDROCK_FRAME_GARBLED:
    'A message of the event stream was damaged on its way or is none. Send the message again; if it stays, look for a proxy that changes answers.',
} satisfies ErrorCatalog
