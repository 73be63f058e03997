/** Error codes of the plugin `docs`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DOCS_UNKNOWN: 'No guide and no plugin with documentation has this name. `svc docs` lists them.',
} satisfies ErrorMessages
