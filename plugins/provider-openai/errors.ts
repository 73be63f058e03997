/** Codes of provider-openai. Failed model calls are events, not errors. */
import type { ErrorCatalog } from 'svc/sdk'

export default {
  PROVIDER_EVENT_TOO_LARGE: 'A model server sent one event of more than 16 MiB. Check that it is a model server.',
} satisfies ErrorCatalog
