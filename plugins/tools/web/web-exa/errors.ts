/** Error codes of the backend for Exa. */
import type { ErrorCatalog } from 'svc/sdk'

export default {
  EXA_FAILED:
    'Exa could not be asked, refused, or answered something strange: see the reason. Another backend is asked meanwhile.',
} satisfies ErrorCatalog
