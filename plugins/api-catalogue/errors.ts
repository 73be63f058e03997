/** Error codes of the plugin `api-catalogue`. What stands behind `API_`, in lower case, is the `code` that clients get. */
import type { ErrorCatalog } from 'svc/sdk'

export default {
  API_NOT_AVAILABLE: 'This part of the program is not loaded, so the route does nothing yet.',
} satisfies ErrorCatalog
