/** Error codes of the plugin `sessions`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SESSION_NOT_FOUND: 'No session has this id. Check the id, or start a new session.',
  SESSION_PROMPT_FIXED:
    'The system prompt of a session was to be replaced. It is set once, so that a conversation keeps its first bytes; start a new session for another prompt.',
  SESSION_RECORD_INVALID:
    'An event or message holds something that is not plain data (a cycle, a bigint) and cannot be written down. The plugin that made it, often a tool, has to return plain data.',
  SESSION_STATE_INVALID:
    'A plugin stored a value with a session that is not plain data, or larger than 1 MiB as JSON. The plugin has to store less, or put it into a file of its own.',
  SESSION_BUSY:
    'Another process has a turn under way in this session. Wait for its end, or go on in a branch of the session.',
  SESSION_IN_USE:
    'A session was to be removed while a turn is at work in it. Stop that turn or wait for its end, then try again.',
  SESSION_TRASH:
    'Sessions were to be removed, but no copy of them could be written into the trash. Only what has a copy was removed. Look at the disk.',
  SESSION_TITLE_EMPTY: 'A session was to get a title without any visible character. Give it one with words.',
  SESSION_EXISTS:
    'A session to be imported is already there under its id. Remove that one first if this one is to take its place.',
  SESSION_ID_TAKEN: 'No free session id was found: the random numbers repeat. Try again.',
  TURN_CRASHED:
    'svc stopped in the middle of a turn. What was shown is kept; ask again, and check first what a tool marked as unknown has done.',
} satisfies ErrorMessages
