/** Codes of the errors of this plugin. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DELEGATION_PAUSED: 'Subagents are paused. `/agents resume` lets the model begin some again.',
  DELEGATION_DEPTH: 'A subagent of the last level wanted to begin others. Raise `delegation.max_spawn_depth`.',
  DELEGATION_TOO_MANY: 'One call has more tasks than `delegation.max_concurrent_children`. Raise it.',
  DELEGATION_INPUT:
    'A call has neither a goal nor tasks, or a task without a goal. The model reads why and calls again.',
  DELEGATION_ELSEWHERE: 'Another process of svc works on this call. Wait until it has ended.',
} satisfies ErrorMessages
