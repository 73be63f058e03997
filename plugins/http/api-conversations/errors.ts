/** Error codes of the plugin `api-conversations`. The part after `API_`, in lower case, is the `code` for clients. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  API_CONVERSATION_NOT_FOUND: 'There is no conversation of this id for the holder of this session key. Create one.',
  API_CONVERSATION_ITEM_NOT_FOUND: 'The conversation has no item of this id. List its items.',
  API_CONVERSATION_FULL: 'The conversation has as many items as are kept. Create another one.',
} satisfies ErrorMessages
