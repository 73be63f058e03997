/** Error codes of the plan tool. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  TODO_DENIED: 'A plugin denied the change of the plan. The message has its reason.',
  TODO_NO_CONTENT: 'An item that is not in the plan yet needs content. Send it with the item, or use a known id.',
  TODO_TOO_MANY: 'The plan would hold more items than it may. Drop some, or replace the plan.',
} satisfies ErrorMessages
