/** Error codes of the plugin `trace`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TRACE_UNKNOWN:
    'No message has this id, or it is older than 30 days. The newest traces are named; use one of their ids.',
  TRACE_AMBIGUOUS: 'Several messages have an id that begins like this. Write more of it.',
} satisfies ErrorMessages
