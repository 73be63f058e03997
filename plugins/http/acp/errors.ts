/** Error codes of the plugin `acp`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  ACP_SESSION_UNKNOWN: 'This connection has no open session of this id. Create or load one first.',
  ACP_SESSION_LIMIT: 'This connection has as many open sessions as it may have. Close one.',
  ACP_FOLDER: 'The folder does not exist. Name one that does, as an absolute path.',
  ACP_CONTENT: 'The message has content that svc does not take. See the prompt capabilities.',
  ACP_SETTING: 'The session has no setting of this name, or not with this value.',
  ACP_CURSOR: 'The cursor is not one that this list returned.',
} satisfies ErrorMessages
