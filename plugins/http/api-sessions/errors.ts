/** Error codes of the plugin `api-sessions`. The part after `API_`, in lower case, is the `code` for clients. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  API_AGENT_INCOMPLETE: 'The turn failed before it said anything. The message says why.',
  API_SESSION_EXISTS: 'A session of this id is there already. Choose another id.',
  API_MISSING_MESSAGE: 'Nothing was said. Send `message` or `input`.',
  API_UNSUPPORTED_SESSION_FIELD: 'This field of a session cannot be set. Leave it out.',
} satisfies ErrorMessages
