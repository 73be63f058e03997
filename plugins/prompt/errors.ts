/** Error codes of the plugin `prompt`. */
import type { ErrorCatalog } from 'svc/sdk'

export default {
  PROMPT_NOT_BUILT: 'The session has no system prompt yet, since no turn was run in it. Choose another session.',
  PROMPT_PLATFORM_UNKNOWN: 'No platform has this name. Use one of those that are listed.',
} satisfies ErrorCatalog
