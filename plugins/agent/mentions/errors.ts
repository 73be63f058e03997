/** Error codes of the plugin mentions. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MENTION_PROGRAM: 'Git or the program that lists files could not be run, for the reason that is given.',
  MENTION_UNREAD: 'What was mentioned is not added to the message, for the reason that is given.',
} satisfies ErrorMessages
