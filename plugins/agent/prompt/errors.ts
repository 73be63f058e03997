/** Error codes of the plugin `prompt`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  PROMPT_NO_NOTES: 'The folder has no project notes that the model could be told. Name the folder that holds them.',
  PROMPT_NOT_BUILT: 'The session has no system prompt yet, since no turn was run in it. Choose another session.',
  PROMPT_PLATFORM_UNKNOWN: 'No platform has this name. Use one of those that are listed.',
} satisfies ErrorMessages
