/** Error codes of the plugin `api-server`. The part after `API_`, in lower case, is the `code` for clients. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  API_KEY_WEAK: 'The key of the API server can be guessed. Set API_SERVER_KEY to 16 random characters or more.',
  API_BODY_LIMIT: 'The body has too much text, too many values or too many levels. Send less; pictures do not count.',
  API_INVALID_JSON: 'The body is not JSON. Send a JSON object as `application/json`.',
  API_INVALID_REQUEST: 'A field of the request is missing or wrong. The message names it.',
  API_INVALID_CONTENT_PART: 'A part of a message is of a kind that is not taken. Send text or pictures.',
  API_INVALID_IMAGE_URL: 'A picture could not be used. Send a `data:image/...` URL or a public address of a picture.',
  API_UNSUPPORTED_PARAMETER: 'The request wants something that the agent cannot do. Leave the named field out.',
  API_INVALID_SESSION_ID: 'A session id or key has up to 256 letters, digits and `._:-`. Correct the header.',
  API_RATE_LIMIT_EXCEEDED:
    'As many turns as allowed are under way. Try again in a second, or raise `max_concurrent_runs`.',
  API_WEBSOCKET_CONNECTION_LIMIT_REACHED: 'A WebSocket is served for 60 minutes. Open a new connection.',
  API_GATEWAY_DRAINING: 'The gateway is being stopped and takes nothing new. Try again when it runs.',
  API_RESPONSE_NOT_FOUND: 'There is no response of this id any more: the newest 100 are kept. Start a new chain.',
  API_PREVIOUS_RESPONSE_NOT_FOUND:
    'The response to go on from is not there any more: the newest 100 are kept. Send what was said before as input.',
  API_ITEM_NOT_FOUND:
    'There is no item of this id any more: those of the newest responses are kept. Send the message itself.',
  API_CONVERSATION_UNKNOWN: 'There is no conversation of this id for the holder of this session key. Create one.',
  API_NOT_IN_BACKGROUND:
    'Only a response that was begun with `background` can be cancelled. Close its connection instead.',
  API_NOT_SERVED: 'This part of the public API is not served here. Leave it out.',
  API_RUN_NOT_FOUND: 'There is no run of this id any more: runs are kept for an hour after their end.',
  API_INVALID_APPROVAL_CHOICE: 'The choice is not one of those offered. Send once, session, always or deny.',
  API_APPROVAL_NOT_ACTIVE: 'The run is over, so nothing waits for an approval.',
  API_APPROVAL_NOT_PENDING: 'No question of this run waits for an answer.',
  API_QUESTION_NOT_FOUND: 'No question of this id waits for an answer: it was answered, or its time is over.',
  API_INVALID_IDEMPOTENCY_KEY: 'An idempotency key has 1 to 256 visible characters. Send another one.',
  API_IDEMPOTENCY_KEY_REUSED: 'This idempotency key came with another request before. Use a new key for a new request.',
  API_IDEMPOTENCY_UNFINISHED:
    'The server stopped in the middle of this request. Look at its session, then use a new key.',
  API_SESSION_NOT_FOUND: 'There is no session of this id for the holder of this session key. List the sessions.',
} satisfies ErrorMessages
