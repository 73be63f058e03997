/** Error codes of the tool search. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TOOL_SEARCH_NOT_REDIRECTED:
    'The tool tool_call stands for a call of another tool and was run itself. Code that runs tools has to follow `redirect`.',
} satisfies ErrorMessages
