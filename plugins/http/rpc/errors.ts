/** Error codes of the plugin `rpc`, and the numbers that callers get for codes. */
import { type ErrorMessages, errorCode } from 'svc/sdk'

export default {
  RPC_SESSION_UNKNOWN: 'This connection has no open session of this id. Create or resume one first.',
  RPC_SESSION_OPEN: 'The session is open on this connection, so it cannot be removed. Close it first.',
  RPC_SESSION_LIMIT: 'This connection has as many open sessions as it may have. Close one.',
  RPC_NOT_PENDING: 'No question with this id waits for an answer: it was answered, or its time is over.',
  RPC_COMMAND_UNKNOWN: 'There is no slash command of this name here.',
  RPC_SETTING:
    'A session cannot have this setting, or not with this value. Without session_id, config.set writes config.yaml.',
  RPC_DRAINING: 'The gateway begins no turns for now: it is about to be restarted. Send the message again later.',
  RPC_FOLDER: 'The folder does not exist. Name one that does, as an absolute path.',
} satisfies ErrorMessages

/** JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const UNKNOWN_METHOD = -32601
export const INVALID_PARAMS = -32602
export const FAILED = -32000

/** Numbers of errors that callers handle; every other code is -32000, with the code in `data`. */
const NUMBERS: Readonly<Record<string, number>> = {
  RPC_SESSION_UNKNOWN: 4001,
  RPC_SETTING: 4002,
  SESSION_NOT_FOUND: 4007,
  COMPRESSION_NOTHING: 4008,
  AGENT_BUSY: 4009,
  SESSION_IN_USE: 4009,
  RPC_NOT_PENDING: 4009,
  RPC_COMMAND_UNKNOWN: 4011,
  RPC_FOLDER: 4016,
  SESSION_TITLE_EMPTY: 4021,
  RPC_SESSION_OPEN: 4023,
  RPC_SESSION_LIMIT: 4090,
}

/** The number of an error. */
export function getErrorNumber(error: unknown): number {
  return NUMBERS[errorCode(error) ?? ''] ?? FAILED
}
